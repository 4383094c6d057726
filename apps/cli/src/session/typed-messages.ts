import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { isObject } from "@troupe/protocol";
import type { OpenInput } from "./attended.ts";
import { wrong } from "./wish.ts";

/** Reads messages, one a line, and hands each on as it comes. */
export function typedMessages(input: Readable, take: (text: string) => Promise<void>): OpenInput {
  let isOpen = true;
  let waiting: (() => void)[] = [];
  const wake = () => {
    for (const resolve of waiting) resolve();
    waiting = [];
  };
  const lines = createInterface({ input });
  const read = async (): Promise<void> => {
    let number = 0;
    for await (const line of lines) {
      number += 1;
      if (line.trim() === "") continue;
      await take(textIn(line, number));
      wake();
    }
  };
  const ended = read().finally(() => {
    isOpen = false;
    wake();
  });
  ended.catch(() => {});
  return {
    isOpen: () => isOpen,
    change: () => new Promise((resolve) => void waiting.push(resolve)),
    ended,
    close() {
      lines.close();
      input.destroy();
    },
  };
}

/** The words of a message of a user. */
function textIn(line: string, number: number): string {
  const message = messageIn(line, number);
  const { content } = message;
  const texts = Array.isArray(content)
    ? content.map((block) => (isObject(block) && block["type"] === "text" ? block["text"] : undefined))
    : [content];
  if (texts.length > 0 && texts.every((text) => typeof text === "string")) return texts.join("\n");
  throw wrong(`line ${number} of standard input: message.content takes a string or blocks of text`);
}

function messageIn(line: string, number: number): { readonly content?: unknown } {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw wrong(`line ${number} of standard input is no JSON: write one message a line`);
  }
  const message = isObject(value) && value["type"] === "user" ? value["message"] : undefined;
  if (isObject(message) && message["role"] === "user") return message;
  const example = '{"type":"user","message":{"role":"user","content":"..."}}';
  throw wrong(`line ${number} of standard input is no message of a user: write ${example}`);
}
