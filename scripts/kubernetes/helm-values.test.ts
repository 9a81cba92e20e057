import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const CHART = fileURLToPath(new URL('../../deploy/helm/', import.meta.url));
const read = (file: string) => readFileSync(`${CHART}${file}`, 'utf8');

const record = z.record(z.string(), z.unknown());
const objectSchema = z.object({ properties: record, additionalProperties: z.literal(false) });

/** Returns the paths that only the defaults or only the schema have. */
function differences(values: unknown, schema: unknown, path = ''): string[] {
  const { data } = objectSchema.safeParse(schema);
  // An open object, such as `env`, is one value.
  if (data === undefined) return values === undefined ? [path] : [];
  const given = record.safeParse(values).data ?? {};
  return [...new Set([...Object.keys(data.properties), ...Object.keys(given)])].flatMap((name) =>
    name in data.properties
      ? differences(given[name], data.properties[name], `${path}/${name}`)
      : [`${path}/${name}`],
  );
}

describe('the values of the Helm chart', () => {
  const values = record.parse(parse(read('values.yaml')));
  const schema: unknown = JSON.parse(read('values.schema.json'));

  it('each have a default and a schema', () => {
    // Helm gives every chart `global`.
    expect(differences(values, schema)).toEqual(['/global']);
    expect(differences({ ...values, catalog: { more: 1 } }, schema)).toContain('/catalog/more');
  });

  it('have the version of the packages', () => {
    const { version } = z.object({ version: z.string() }).parse(JSON.parse(read('../../package.json')));
    expect(parse(read('Chart.yaml'))).toMatchObject({ version, appVersion: version });
  });
});
