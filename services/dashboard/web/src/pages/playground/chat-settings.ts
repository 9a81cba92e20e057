import type { PlaygroundApi, PlaygroundChatRequest } from '../../../../wire/playground.ts';
import { readTools } from './read-tools.ts';

/** The fields as the user typed them. */
export interface ChatSettings {
  /** Empty: the first model that fits. */
  model: string;
  /** The model that answers beside it; empty: none. */
  secondModel: string;
  api: PlaygroundApi;
  system: string;
  /** Empty: the model decides. */
  temperature: string;
  maxTokens: string;
  /** JSON; empty: none. */
  tools: string;
  /** Undefined: the account pays. */
  seatId: string | undefined;
}

export interface ReadSettings {
  options: Pick<PlaygroundChatRequest, 'temperature' | 'maxTokens' | 'tools' | 'seatId'>;
  problems: { temperature?: string; maxTokens?: string; tools?: string };
}

/** Parses numbers and tools; `problems` names the fields that the gateway would reject. */
export function readSettings({ temperature, maxTokens, tools, seatId }: ChatSettings): ReadSettings {
  const read: ReadSettings = { options: seatId === undefined ? {} : { seatId }, problems: {} };
  if (temperature.trim() !== '') {
    const value = Number(temperature);
    if (value >= 0 && value <= 2) read.options.temperature = value;
    else read.problems.temperature = 'Enter a number from 0 to 2.';
  }
  if (maxTokens.trim() !== '') {
    const value = Number(maxTokens);
    if (Number.isInteger(value) && value >= 1 && value <= 1_000_000) read.options.maxTokens = value;
    else read.problems.maxTokens = 'Enter a whole number from 1 to 1,000,000.';
  }
  if (tools.trim() !== '') {
    const value = readTools(tools);
    if (typeof value === 'string') read.problems.tools = value;
    else read.options.tools = value;
  }
  return read;
}
