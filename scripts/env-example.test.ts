import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { QUICK_START_SETTINGS } from '../packages/quick-start/src/options.ts';
import { catalogSettings } from '../services/catalog/src/index.ts';
import { controlPlaneSettings } from '../services/control-plane/src/index.ts';
import { dashboardSettings } from '../services/dashboard/src/index.ts';
import { dataPlaneSettings } from '../services/data-plane/src/index.ts';

const blocks = readFileSync(new URL('../.env.example', import.meta.url), 'utf8')
  .trim()
  .split('\n\n');
const settingsOf = (text: string) => [...text.matchAll(/^([A-Z][A-Z0-9_]*)=/gm)].map(([, name]) => name);

/**
 * The variables that the files of docker compose take from the environment. `$${…}` is for a shell inside a
 * container.
 */
function composeVariables(): (string | undefined)[] {
  const files = ['docker-compose.yml', 'deploy/compose.tls.yml'];
  return files.flatMap((file) => {
    const text = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
    return [...text.matchAll(/(?<!\$)\$\{([A-Z0-9_]+)/g)].map(([, name]) => name);
  });
}

describe('.env.example', () => {
  it('lists every setting of every service, once, and nothing else', () => {
    const schemas = [dataPlaneSettings, controlPlaneSettings, catalogSettings, dashboardSettings].map(
      (settings) => settings(false),
    );
    const expected = new Set([
      ...composeVariables(),
      ...schemas.flatMap((schema) => Object.keys(schema.shape)),
      ...QUICK_START_SETTINGS,
    ]);
    expect(settingsOf(blocks.join('\n')).sort()).toEqual([...expected].sort());
  });

  it('says with every setting what it does, who reads it and its default, and gives none a value', () => {
    for (const block of blocks.filter((text) => settingsOf(text).length > 0)) {
      expect(block).toMatch(/^# .+; .+\. Default: .+\.$|^# .+ Default: data-plane .+\.$/m);
      expect(block).toMatch(/^(# .+\n)+[A-Z0-9_]+=/);
      expect(block).not.toMatch(/=./);
    }
  });
});
