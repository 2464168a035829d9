import {
  clone,
  create,
  createFileRegistry,
  type DescField,
  type DescFile,
  type DescService,
  type MessageInitShape,
  setExtension,
} from "@bufbuild/protobuf";
import {
  type DescriptorProto,
  DescriptorProtoSchema,
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FieldDescriptorProtoSchema,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  MethodDescriptorProtoSchema,
  MethodOptionsSchema,
} from "@bufbuild/protobuf/wkt";
import { RpcFactsSchema, rpc as rpcOption } from "./gen/contract/v1/options_pb.js";
import { type RpcRow, readRows, rpc, services } from "./rpcs.ts";

/** A field like one of the contract's, options and all; or, by its name in protobuf, a text without facts. */
export type SyntheticField = DescField | string;

/** An RPC the contract does not have. */
export interface SyntheticRpc {
  /** What it is called, with the service it is added to: `alpha.v1.SecretService/RenameSecret`. */
  readonly name: string;
  readonly stream?: true;
  readonly facts: MessageInitShape<typeof RpcFactsSchema>;
  readonly request: readonly SyntheticField[];
  readonly response: readonly SyntheticField[];
}

/** Fields of a committed RPC's request, or of its response, by their names in JSON. */
export function fieldsOf(name: string, side: "input" | "output", ...names: readonly string[]): readonly DescField[] {
  return rpc(name)[side].fields.filter((field) => names.includes(field.jsonName));
}

function writeMessage(name: string, fields: readonly SyntheticField[]): DescriptorProto {
  const text = { label: FieldDescriptorProto_Label.OPTIONAL, type: FieldDescriptorProto_Type.STRING };
  const field = fields.map((one, index) => ({
    ...(typeof one === "string"
      ? create(FieldDescriptorProtoSchema, { name: one, ...text })
      : clone(FieldDescriptorProtoSchema, one.proto)),
    number: index + 1,
  }));
  return create(DescriptorProtoSchema, { name, field });
}

function addRpc(file: FileDescriptorProto, { name, stream, facts, request, response }: SyntheticRpc): void {
  const [service = "", method = ""] = name.split("/");
  const messages = [writeMessage(`${method}Request`, request), writeMessage(`${method}Response`, response)];
  file.messageType.push(...messages);
  const options = create(MethodOptionsSchema);
  setExtension(options, rpcOption, create(RpcFactsSchema, facts));
  const [inputType, outputType] = messages.map((message) => `.${file.package}.${message.name}`);
  const written = { name: method, inputType, outputType, serverStreaming: stream === true, options };
  file.service
    .find((one) => `${file.package}.${one.name}` === service)
    ?.method.push(create(MethodDescriptorProtoSchema, written));
}

/** A service with further RPCs. What its file imports is the contract's own. */
function extend(service: DescService, added: readonly SyntheticRpc[]): DescService {
  const file = clone(FileDescriptorProtoSchema, service.file.proto);
  for (const one of added) addRpc(file, one);
  const imported = (path: string): DescFile | undefined =>
    service.file.dependencies.find((dependency) => `${dependency.name}.proto` === path);
  const extended = createFileRegistry(file, imported).getService(service.typeName);
  if (extended === undefined) throw new Error(`${service.typeName} is lost`);
  return extended;
}

/** The rows of the contract with those of further RPCs, each after those of its service. */
export function rowsWith(added: readonly SyntheticRpc[]): readonly RpcRow[] {
  return readRows(
    services.map((service) => {
      const own = added.filter(({ name }) => name.startsWith(`${service.typeName}/`));
      return own.length === 0 ? service : extend(service, own);
    }),
  );
}
