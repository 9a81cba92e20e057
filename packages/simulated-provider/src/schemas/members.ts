import { z } from 'zod';

/** Shorthands for the schemas of requests. */

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;

/** Accepts one of several words. @param texts each has words separated by single spaces */
export function oneOf<const Texts extends readonly string[]>(...texts: Texts) {
  return z.enum(texts.join(' ').split(' ') as Words<Texts[number]>[]);
}

/** Accepts an object with this `type` and these members. */
export function typed<const Type extends string, Shape extends z.core.$ZodLooseShape>(
  type: Type,
  shape: Shape,
) {
  return z.strictObject({ type: z.literal(type), ...shape });
}

/** Accepts whole numbers. */
export function count(minimum: number, maximum?: number) {
  const schema = z.int().min(minimum);
  return maximum === undefined ? schema : schema.max(maximum);
}

export const anyObject = z.looseObject({});
