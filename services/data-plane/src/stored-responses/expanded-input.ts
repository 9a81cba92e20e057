import { isObject } from '@model-gateway/dialects';
import { asItems } from './held-input.ts';
import { elementsOf, insideOf } from './json-elements.ts';
import type { FoundResponse } from './stored-response.ts';

const COMMA = Buffer.from(',');
const MARK_OF_REASONING = '"reasoning"';

export interface Expansion {
  /** The response that the request goes on from. */
  before: Pick<FoundResponse, 'input' | 'output'> | undefined;
  /** Referenced items, by their places in the request's own input. */
  references: ReadonlyMap<number, Buffer>;
  /**
   * Leaves out the reasoning of what is kept: a provider that speaks this API cannot read what others
   * thought, and refuses it.
   */
  withoutReasoning: boolean;
}

/**
 * Builds the whole input of a request that continues a response: that response's input, its output, and the
 * own input, byte for byte.
 * @param own the JSON of its own input; undefined: it has none
 * @returns the JSON of an array of items
 */
export async function expandedInput(
  own: readonly Buffer[] | undefined,
  { before, references, withoutReasoning }: Expansion,
): Promise<Buffer[]> {
  const keptParts = before === undefined ? [] : [before.input, before.output];
  const kept = withoutReasoning
    ? await Promise.all(keptParts.map(itemsWithoutReasoning))
    : keptParts.map((part) => insideOf([part]));
  const items = own === undefined ? [] : asItems(own);
  const said = references.size === 0 ? insideOf(items) : await resolved(items, references, withoutReasoning);
  const parts = [...kept, said].filter((part) => part.length > 0);
  return [Buffer.from('['), ...separated(parts).flat(), Buffer.from(']')];
}

/** The elements of an array of items, with those in place of its references that they refer to. */
async function resolved(
  items: readonly Buffer[],
  references: ReadonlyMap<number, Buffer>,
  withoutReasoning: boolean,
): Promise<Buffer[]> {
  const elements = await elementsOf(Buffer.concat(items));
  const meant = elements.flatMap((element, index) => {
    const item = references.get(index);
    if (item === undefined) return [element];
    return withoutReasoning && isReasoning(item) ? [] : [item];
  });
  return separated(meant.map((element) => [element])).flat();
}

async function itemsWithoutReasoning(items: Buffer): Promise<Buffer[]> {
  const elements = await elementsOf(items);
  return separated(elements.filter((element) => !isReasoning(element)).map((element) => [element])).flat();
}

function isReasoning(item: Buffer): boolean {
  if (!item.includes(MARK_OF_REASONING)) return false;
  const value: unknown = JSON.parse(item.toString());
  return isObject(value) && value.type === 'reasoning';
}

function separated(parts: readonly Buffer[][]): Buffer[][] {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [[COMMA], part]));
}
