import { expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import { exchangeOf } from "../wire/exchange.testing.ts";
import { createAnswerTime } from "./answer-time.ts";

const [read, stream] = [rpc("beta.v1.RunService/GetRun"), rpc("beta.v1.RunService/StreamRunText")];
const taking = (durationMs: number, row = read) => {
  const exchange = exchangeOf({ status: 200, body: "{}" });
  return { row, exchange: { ...exchange, durationMs } };
};

test("it is listened as long as is asked for, and longer where answers take their time", () => {
  const answers = createAnswerTime(10_000);
  expect(answers.listenMs(300)).toBe(300);
  for (let made = 0; made < 40; made += 1) answers.note(taking(20));
  expect(answers.listenMs(300)).toBe(300);
  for (let made = 0; made < 40; made += 1) answers.note(taking(500));
  expect(answers.listenMs(300)).toBe(1500);
  for (let made = 0; made < 40; made += 1) answers.note(taking(20));
  expect(answers.listenMs(300)).toBe(300);
});

test("one slow answer of many, streams and lost replies say nothing", () => {
  const answers = createAnswerTime(10_000);
  for (let made = 0; made < 31; made += 1) answers.note(taking(20));
  answers.note(taking(5000));
  answers.note(taking(5000, stream));
  const { row, exchange } = taking(5000);
  answers.note({ row, exchange: { ...exchange, response: undefined } });
  expect(answers.listenMs(300)).toBe(300);
});

test("it is listened no longer than a reply may take, unless that is asked for", () => {
  const answers = createAnswerTime(2000);
  answers.note(taking(1900));
  expect(answers.listenMs(300)).toBe(2000);
  expect(answers.listenMs(4000)).toBe(4000);
});
