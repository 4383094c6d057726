import type { Scene } from "./scene.ts";

const looked = [
  "Agent",
  "Task",
  "SendMessage",
  "TaskCreate",
  "TaskGet",
  "TaskList",
  "TaskUpdate",
  "TeamCreate",
  "TeamDelete",
];

/** What a client offers its model. */
export async function observeTools({ stage, observe }: Scene): Promise<void> {
  const { tools = [] } = stage.agent("team-lead").requests.at(-1) ?? {};
  await observe("names of the tools", () => tools.map(({ name }) => name).sort());
  for (const { name, input_schema } of tools.filter((tool) => looked.includes(tool.name))) {
    const { properties = {}, required = [] } = input_schema as { properties?: object; required?: string[] };
    await observe(`input of ${name}`, () =>
      Object.keys(properties).map((field) => (required.includes(field) ? `${field}*` : field)),
    );
  }
  await observe("marks for the prompt cache in a request", () =>
    JSON.stringify(stage.agent("team-lead").requests.at(-1)).match(/"cache_control":\{[^}]*\}/g),
  );
}
