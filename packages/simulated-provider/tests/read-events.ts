import { z } from 'zod';

const event = z.looseObject({ type: z.string() });

/**
 * Parses a stream of named events. @throws when the name of one is not its type
 */
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
