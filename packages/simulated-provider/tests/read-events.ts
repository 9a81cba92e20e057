import { z } from 'zod';

const event = z.looseObject({ type: z.string() });

/** Parses a stream of named events. @throws if the name of one is not its type */
export function namedEvents(text: string): z.infer<typeof event>[] {
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => {
      const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
      const parsed = event.parse(JSON.parse(data ?? ''));
      if (parsed.type !== name) throw new Error(`${name} is the name of an event of the type ${parsed.type}`);
      return parsed;
    });
}

/** Reads a body as far as it arrives. `isWhole` is false if it breaks off. */
export async function readBody(
  response: Response,
  onText: (read: string) => void = () => undefined,
): Promise<{ text: string; isWhole: boolean }> {
  let text = '';
  try {
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      onText(text);
    }
    return { text, isWhole: true };
  } catch {
    return { text, isWhole: false };
  }
}

/** Reads a body until there is enough of it, and then aborts its request. */
export async function readUntil(
  response: Response,
  abort: AbortController,
  isEnough: (read: string) => boolean,
): Promise<string> {
  const { text } = await readBody(response, (read) => isEnough(read) && abort.abort());
  return text;
}

/** Collects all items of a stream. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}
