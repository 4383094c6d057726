/** Dollars a million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
}

/** The documented properties of a model; undocumented ones are absent and not enforced. */
export interface Model {
  readonly id: string;
  /** A shorter prefix is silently not cached. */
  readonly minimumTokens: number;
  /** The price of a token read from the cache, as a part of the price of an input token. */
  readonly readMultiplier: number;
  readonly price?: Price;
  /** The price of a request whose prompt has more tokens than `above`. */
  readonly longPrice?: Price & { readonly above: number };
  readonly contextTokens?: number;
  readonly maxOutputTokens?: number;
  /** A thinking block is accepted only behind the very prefix it was made for. */
  readonly bindsThinking?: boolean;
  readonly refusesForcedTools?: boolean;
  readonly refusesDisabledThinking?: boolean;
  readonly refusesPrefill?: boolean;
  readonly refusesSystemMessages?: boolean;
  /**
   * Thinking and effort come before the tools in the prompt, so changing them invalidates it all.
   */
  readonly rendersConfigAhead?: boolean;
}

const wide = { contextTokens: 1_000_000, maxOutputTokens: 128_000 };
const strict = { refusesForcedTools: true, refusesDisabledThinking: true, refusesPrefill: true };
const binds = { bindsThinking: true };
const older = { readMultiplier: 0.1, refusesSystemMessages: true };

export const models: readonly Model[] = [
  { id: "claude-fable-5-2", minimumTokens: 512, readMultiplier: 0.1, ...binds },
  { id: "claude-mythos-5-2", minimumTokens: 512, readMultiplier: 0.1, ...binds },
  {
    id: "claude-fable-5-1",
    minimumTokens: 512,
    readMultiplier: 0.025,
    price: { input: 10, output: 50 },
    ...wide,
    ...binds,
    ...strict,
  },
  { id: "claude-mythos-5-1", minimumTokens: 512, readMultiplier: 0.025, ...binds },
  {
    id: "claude-opus-5-5",
    minimumTokens: 512,
    readMultiplier: 0.05,
    price: { input: 4, output: 20 },
    ...wide,
    ...binds,
    ...strict,
  },
  {
    id: "claude-sonnet-5-5",
    minimumTokens: 512,
    readMultiplier: 0.05,
    price: { input: 2, output: 10 },
    refusesForcedTools: true,
    ...wide,
    ...binds,
  },
  {
    id: "claude-haiku-5-5",
    minimumTokens: 512,
    readMultiplier: 0.1,
    price: { input: 0.1, output: 0.5 },
    longPrice: { above: 100_000, input: 0.5, output: 2.5 },
    ...wide,
    ...binds,
  },
  { id: "claude-fable-5", minimumTokens: 512, readMultiplier: 0.1 },
  { id: "claude-mythos-5", minimumTokens: 512, readMultiplier: 0.1 },
  { id: "claude-opus-5", minimumTokens: 512, readMultiplier: 0.1, price: { input: 5, output: 25 }, ...wide },
  { id: "claude-sonnet-5", minimumTokens: 1024, ...older },
  { id: "claude-opus-4-8", minimumTokens: 1024, readMultiplier: 0.1 },
  { id: "claude-opus-4-7", minimumTokens: 2048, ...older },
  { id: "claude-mythos-preview", minimumTokens: 2048, ...older },
  { id: "claude-opus-4-6", minimumTokens: 4096, ...older },
  { id: "claude-opus-4-5", minimumTokens: 4096, ...older },
  { id: "claude-sonnet-4-6", minimumTokens: 1024, ...older },
  { id: "claude-sonnet-4-5", minimumTokens: 1024, ...older },
  {
    id: "claude-haiku-4-5",
    minimumTokens: 4096,
    price: { input: 1, output: 5 },
    contextTokens: 200_000,
    maxOutputTokens: 64_000,
    ...older,
  },
];

/** The model of that id, dated or not. */
export const modelOf = (known: readonly Model[], id: string): Model | undefined =>
  known.find((model) => model.id === id) ?? known.find((model) => model.id === id.replace(/-\d{8}$/, ""));
