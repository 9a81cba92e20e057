import type { z } from 'zod';

/** Where a client asks, and as whom. */
export interface Connection {
  /** Base URL of the gateway, without `/v1`. */
  baseUrl: string;
  rawKey: string;
  model: string;
  fetch: typeof fetch;
}

/** A request to a client, independent of any API. */
export interface Asked {
  text: string;
  stream: boolean;
  /** A picture beside the text, in base64. */
  png?: string;
  /** The model is to think before it answers. */
  thinks?: boolean;
}

export interface ClientTool {
  name: string;
  input: z.ZodObject;
  run(input: unknown): string;
}

/** One response, as the client shows it to its user. */
export interface Told {
  text: string;
  calls: { name: string; input: unknown }[];
  /** Undefined where the library miscounts streams, whatever the provider. */
  usage: Usage | undefined;
}

/** Tokens. `input` has those in it that came from a cache, as Chat Completions counts. */
export interface Usage {
  input: number;
  output: number;
}

/**
 * A client library in the hands of one user. Each way of asking is the one that its own documentation shows.
 */
export interface Client {
  ask(asked: Asked): Promise<Told>;
  /**
   * Runs what the model calls, and sends the results back, until it answers in words: every answer in turn.
   */
  runTools(asked: Asked, tools: readonly ClientTool[]): Promise<Told[]>;
  /** An answer as an object of this schema. */
  parse(asked: Asked, schema: z.ZodObject): Promise<Pick<Told, 'usage'> & { parsed: unknown }>;
}

export interface ClientKind {
  title: string;
  api: 'Chat' | 'Messages' | 'Responses';
  /** True where thoughts go back with the next turn, with their signatures. */
  keepsThoughts: boolean;
  connect(connection: Connection): Client;
  /** True where the error's class or code says that the user has to wait. */
  isRateLimit(error: unknown): boolean;
  /** True where its class or code says that the request was wrong, and that repeating it does not help. */
  isRejection(error: unknown): boolean;
}

/** More than any message here needs, and than the smallest thinking budget. */
export const MOST_TOKENS = 4_000;
export const THINKING_TOKENS = 2_000;

export function dataUrl(png: string): string {
  return `data:image/png;base64,${png}`;
}

/** Runs the tool that a model called. @throws when the model was not given it */
export function resultOf(tools: readonly ClientTool[], name: string, input: unknown): string {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`the model has called ${name}, which it was not given`);
  return tool.run(input);
}
