import type { CallToolResult } from "@modelcontextprotocol/client";
import type { ToolOutcome } from "../loop/tool.ts";
import type { Block } from "../model/model.ts";

/** Characters of text in one result; what goes beyond is cut. */
const longestText = 100_000;
/** Images the API takes, and how long their base64 may be. */
const imageTypes = new Set(["image/gif", "image/jpeg", "image/png", "image/webp"]);
const longestImage = 5_000_000;
const mostImages = 20;

/** The answer of a server as the model may read it: bounded, and never empty. */
export function outcomeOf({ content, structuredContent, isError = false }: CallToolResult): ToolOutcome {
  const found = content.map(blockOf).filter(({ text }) => text !== "");
  const blocks =
    found.length === 0 && structuredContent !== undefined ? [textBlock(JSON.stringify(structuredContent))] : found;
  return { content: bounded(blocks.length > 0 ? blocks : [textBlock("(no output)")]), isError };
}

const textBlock = (text: string): Block => ({ type: "text", text });

function blockOf(item: CallToolResult["content"][number]): Block {
  switch (item.type) {
    case "text":
      return textBlock(item.text);
    case "image":
      return imageTypes.has(item.mimeType) && item.data.length <= longestImage
        ? { type: "image", source: { type: "base64", media_type: item.mimeType, data: item.data } }
        : textBlock(leftOut("an image", item.mimeType, item.data));
    case "audio":
      return textBlock(leftOut("audio", item.mimeType, item.data));
    case "resource":
      return "text" in item.resource
        ? textBlock(`${item.resource.uri}\n${item.resource.text}`)
        : textBlock(leftOut(item.resource.uri, item.resource.mimeType, item.resource.blob));
    case "resource_link":
      return textBlock(`${item.name}: ${item.uri}`);
  }
}

const leftOut = (what: string, type: string | undefined, data: string): string =>
  `(left out: ${what}${type ? `, ${type}` : ""}, ${Math.floor((data.length * 3) / 4)} bytes)`;

function bounded(blocks: readonly Block[]): readonly Block[] {
  let room = longestText;
  let images = 0;
  return blocks.flatMap((block) => {
    if (block.type === "image") return ++images > mostImages ? [] : [block];
    const text = String(block["text"]);
    const had = room;
    room -= text.length;
    if (room >= 0) return [block];
    return had > 0 ? [textBlock(`${text.slice(0, had)}\n(cut: the result is too long)`)] : [];
  });
}
