import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { catalogDocument } from '../packages/shared/src/index.ts';
import { describeMembers } from './catalog-reference/describe-members.ts';
import { catalogReference } from './catalog-reference.ts';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

describe('the reference of the catalog file', () => {
  it.each(Object.entries(catalogReference()))('%s is what its schema says', (path, text) => {
    expect(read(path), 'run `npm run catalog-reference`').toBe(text);
  });

  it('shows a file that can be applied', () => {
    const [, example = ''] = /```yaml\n(providers:[^`]+)```/.exec(read('docs/catalog-file.md')) ?? [];
    expect(catalogDocument.parse(parse(example)).models).toHaveLength(2);
  });

  it('fails if a member has no description', () => {
    const schema = z.toJSONSchema(
      z.strictObject({ inner: z.strictObject({ bare: z.string() }).describe('It.') }),
    );
    expect(() => describeMembers(schema)).toThrow('inner.bare has no description');
  });
});
