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
    let isSilent = true;
    for await (const raw of lines) {
      number += 1;
      // Some shells put a mark before what they pipe.
      const line = number === 1 ? raw.replace(/^\uFEFF/, "") : raw;
      if (line.trim() === "") continue;
      isSilent = false;
      await take(textIn(line, number));
      wake();
    }
    if (isSilent) throw wrong(`standard input brought no message: write one a line, ${example}`);
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

const example = '{"type":"user","message":{"role":"user","content":"..."}}';

/** The words of a message of a user. */
function textIn(line: string, number: number): string {
  const message = messageIn(line, number);
  const { content } = message;
  const texts = Array.isArray(content)
    ? content.map((block) => (isObject(block) && block["type"] === "text" ? block["text"] : undefined))
    : [content];
  if (texts.length > 0 && texts.every((text) => typeof text === "string")) {
    const text = texts.join("\n");
    if (text.trim() !== "") return text;
    throw wrong(`line ${number} of standard input: message.content is empty`);
  }
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
  throw wrong(`line ${number} of standard input is no message of a user: write ${example}`);
}
