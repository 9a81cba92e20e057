import { isObject } from '@model-gateway/dialects';
import { asItems } from './held-input.ts';
import { elementsOf, insideOf } from './json-elements.ts';
import type { FoundResponse } from './stored-response.ts';

const COMMA = Buffer.from(',');
const REASONING_MARKER = '"reasoning"';

export interface Expansion {
  /** The response that the request continues. */
  previous: Pick<FoundResponse, 'input' | 'output'> | undefined;
  /** Referenced items by their index in the request's input. */
  references: ReadonlyMap<number, Buffer>;
  /** Drops stored reasoning: a provider with the Responses API rejects the reasoning of others. */
  withoutReasoning: boolean;
}

/**
 * Builds the input of a request that continues a response, byte for byte: that response's input, its output,
 * and the request's own input.
 * @param own the JSON of the request's input; undefined without one
 * @returns the JSON of an array of items
 */
export async function expandedInput(
  own: readonly Buffer[] | undefined,
  { previous, references, withoutReasoning }: Expansion,
): Promise<Buffer[]> {
  const storedParts = previous === undefined ? [] : [previous.input, previous.output];
  const stored = withoutReasoning
    ? await Promise.all(storedParts.map(itemsWithoutReasoning))
    : storedParts.map((part) => insideOf([part]));
  const items = own === undefined ? [] : asItems(own);
  const ownItems =
    references.size === 0 ? insideOf(items) : await resolveReferences(items, references, withoutReasoning);
  const parts = [...stored, ownItems].filter((part) => part.length > 0);
  return [Buffer.from('['), ...joinWithCommas(parts).flat(), Buffer.from(']')];
}

/** Replaces references in an array by the stored items. */
async function resolveReferences(
  items: readonly Buffer[],
  references: ReadonlyMap<number, Buffer>,
  withoutReasoning: boolean,
): Promise<Buffer[]> {
  const elements = await elementsOf(Buffer.concat(items));
  const resolvedElements = elements.flatMap((element, index) => {
    const item = references.get(index);
    if (item === undefined) return [element];
    return withoutReasoning && isReasoning(item) ? [] : [item];
  });
  return joinWithCommas(resolvedElements.map((element) => [element])).flat();
}

async function itemsWithoutReasoning(items: Buffer): Promise<Buffer[]> {
  const elements = await elementsOf(items);
  return joinWithCommas(
    elements.filter((element) => !isReasoning(element)).map((element) => [element]),
  ).flat();
}

function isReasoning(item: Buffer): boolean {
  if (!item.includes(REASONING_MARKER)) return false;
  const value: unknown = JSON.parse(item.toString());
  return isObject(value) && value.type === 'reasoning';
}

function joinWithCommas(parts: readonly Buffer[][]): Buffer[][] {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [[COMMA], part]));
}
