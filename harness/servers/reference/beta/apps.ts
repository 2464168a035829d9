/** An app: made outside the package, as the contract has it. */
export interface App {
  readonly workspaceId: string;
  readonly appId: string;
  readonly displayName: string;
  /** A stopped app starts nothing new. */
  readonly stopped: boolean;
  readonly versions: readonly AppVersion[];
  readonly tools: readonly Tool[];
}

export interface AppVersion {
  readonly appVersionId: string;
  readonly label: string;
  /** Only a published one is served; a stopped one was, an invalid one never can be. */
  readonly state: "published" | "stopped" | "invalid";
}

/** A tool the scripted app may call. */
export interface Tool {
  readonly toolId: string;
  readonly name: ToolName;
  readonly destination: string;
  /** Whether the customer user decides each call. */
  readonly needsApproval: boolean;
  /** Whether this runtime can call it at all. */
  readonly supported: boolean;
}

export type ToolName = "look_up_order" | "transfer_money" | "send_fax";

/** The tools of an app: each app has its own. */
function createTools(newId: () => string): readonly Tool[] {
  const tool = (name: ToolName, destination: string, needsApproval: boolean, supported: boolean): Tool => ({
    toolId: newId(),
    name,
    destination,
    needsApproval,
    supported,
  });
  return [
    tool("look_up_order", "https://orders.invalid/api", false, true),
    tool("transfer_money", "https://bank.invalid/api", true, true),
    tool("send_fax", "https://fax.invalid/api", false, false),
  ];
}

/** The apps of a reference: one to work with, a stopped one beside it, and one of another workspace. */
export interface Apps {
  readonly main: App;
  readonly stopped: App;
  readonly second: App;
  readonly all: readonly App[];
}

export function createApps(newId: () => string): Apps {
  const createApp = (workspaceId: string, displayName: string, stopped = false): App => {
    const version = (label: string, state: AppVersion["state"]) => ({ appVersionId: newId(), label, state });
    const versions = [
      version("2.1.0", "published"),
      version("2.2.0", "published"),
      version("1.9.0", "stopped"),
      version("3.0.0-draft", "invalid"),
    ];
    return { workspaceId, appId: newId(), displayName, stopped, versions, tools: createTools(newId) };
  };
  const workspaceId = newId();
  const main = createApp(workspaceId, "Order desk");
  const stopped = createApp(workspaceId, "Retired desk", true);
  const second = createApp(newId(), "Another company's desk");
  return { main, stopped, second, all: [main, stopped, second] };
}

/** The tools of an app that a runtime can call. */
export function usableTools(app: App): readonly Tool[] {
  return app.tools.filter((tool) => tool.supported);
}
