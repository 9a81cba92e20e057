import type { z } from 'zod';

/** The gateway, key and model that a client uses. */
export interface Connection {
  /** Base URL of the gateway, without `/v1`. */
  baseUrl: string;
  rawKey: string;
  model: string;
  fetch: typeof fetch;
}

/** A request to a client, independent of any API. */
export interface ClientRequest {
  text: string;
  stream: boolean;
  /** A picture beside the text, in base64. */
  png?: string;
  /** True if the model has to think before it answers. */
  thinks?: boolean;
}

export interface ClientTool {
  name: string;
  input: z.ZodObject;
  run(input: unknown): string;
}

/** One response, as the client shows it to its user. */
export interface ClientResponse {
  text: string;
  calls: { name: string; input: unknown }[];
  /** Undefined where the library miscounts streams, whatever the provider. */
  usage: Usage | undefined;
}

/** Tokens. `input` includes cached ones, as in Chat Completions. */
export interface Usage {
  input: number;
  output: number;
}

/**
 * A connected client library. Each method calls it as its own documentation shows.
 */
export interface Client {
  ask(asked: ClientRequest): Promise<ClientResponse>;
  /**
   * Runs the called tools, and sends their results back until the model answers with text. Returns all
   * responses.
   */
  runTools(asked: ClientRequest, tools: readonly ClientTool[]): Promise<ClientResponse[]>;
  /** Requests an object of this schema, and returns it parsed. */
  parse(
    asked: ClientRequest,
    schema: z.ZodObject,
  ): Promise<Pick<ClientResponse, 'usage'> & { parsed: unknown }>;
}

export interface ClientKind {
  title: string;
  api: 'Chat' | 'Messages' | 'Responses';
  /** True if the library sends thoughts and their signatures back with the next turn. */
  returnsThoughts: boolean;
  connect(connection: Connection): Client;
  /** True if the error's class or code is that of a rate limit. */
  isRateLimit(error: unknown): boolean;
  /** True if its class or code is that of a wrong request, which must not be retried. */
  isRejection(error: unknown): boolean;
}

/** More than any message here needs, and than the smallest thinking budget. */
export const MAX_TOKENS = 4_000;
export const THINKING_TOKENS = 2_000;

export function dataUrl(png: string): string {
  return `data:image/png;base64,${png}`;
}

/** Runs the tool that a model called. @throws Error when the request did not have this tool */
export function resultOf(tools: readonly ClientTool[], name: string, input: unknown): string {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`the model has called ${name}, which the request did not have`);
  return tool.run(input);
}
