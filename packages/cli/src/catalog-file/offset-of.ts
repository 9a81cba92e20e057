import { type Document, isAlias, isMap, isNode, isScalar, isSeq } from 'yaml';

const STEP = /\[(\d+)\]|[^.[\]]+/g;

/**
 * Finds where a path such as `models[0].tier` begins in the text of a YAML document: at the name of the
 * field, or at the entry of a list. For something that is missing, it finds the beginning of the part that
 * should contain it.
 */
export function offsetOf(document: Document.Parsed, path: string): number {
  let node: unknown = document.contents;
  let offset = document.contents?.range?.[0] ?? 0;
  for (const [step, index] of path.matchAll(STEP)) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && key.value === step);
      if (pair === undefined || !isNode(pair.key)) break;
      offset = pair.key.range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node) && index !== undefined) {
      const item: unknown = node.items[Number(index)];
      if (!isNode(item)) break;
      offset = item.range?.[0] ?? offset;
      node = item;
    } else break;
  }
  return offset;
}
