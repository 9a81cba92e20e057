import { z } from 'zod';
import { catalogDocument } from '../../packages/shared/src/index.ts';
import { describeMembers } from './describe-members.ts';
import { referencePage } from './reference-page.ts';

/** The documents about the catalog file, made from its schema; by path from the top of the repository. */
export function catalogReference(): Record<string, string> {
  const schema = z.toJSONSchema(catalogDocument, { io: 'input' });
  return {
    'docs/catalog-file.md': referencePage(describeMembers(schema)),
    'docs/catalog-file.schema.json': `${JSON.stringify({ title: 'Catalog of Model Gateway', ...schema }, null, 2)}\n`,
  };
}
