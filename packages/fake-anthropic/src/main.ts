#!/usr/bin/env node
import { optionsOf, usage } from "./command.ts";
import { startFakeAnthropic } from "./server.ts";

try {
  const options = optionsOf(process.argv.slice(2));
  if (options === undefined) process.stdout.write(usage);
  else {
    const fake = await startFakeAnthropic(options);
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void fake.close());
    process.stdout.write(`${fake.url}\n`);
  }
} catch (error) {
  process.stderr.write(`fake-anthropic: ${error instanceof Error ? error.message : error}\n${usage}`);
  process.exitCode = 2;
}
