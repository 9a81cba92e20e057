import { globSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { manifestProblems } from './manifest-problems.ts';
import {
  KUBERNETES,
  KUSTOMIZED,
  MANIFEST_FILES,
  readKustomization,
  readManifests,
} from './read-manifests.ts';

const SECRETS = 'example/secret.example.yaml';
/** What verify.sh adds to the base. */
const VERIFY = '../verify/kubernetes';
const VERIFY_FILES = globSync(['*.yaml', 'backing/[!k]*.yaml'], { cwd: join(KUBERNETES, VERIFY) }).map(
  (file) => join(VERIFY, file),
);

describe('deploy/kubernetes', () => {
  it.each([...MANIFEST_FILES, SECRETS, ...VERIFY_FILES])('%s follows the schemas of Kubernetes', (file) => {
    const problems = readManifests(file).flatMap((manifest) =>
      manifestProblems(manifest).map((problem) => `${manifest.kind} ${manifest.metadata.name}: ${problem}`),
    );
    expect(problems).toEqual([]);
  });

  it('a wrong value, a missing field and a misspelled one are found', () => {
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' } };
    expect(manifestProblems({ ...service, spec: { ports: [{ port: 'x' }] } })).toEqual([
      expect.stringContaining('/spec/ports/0/port'),
    ]);
    expect(manifestProblems({ ...service, spec: { ports: [{ name: 'http' }] } })).toEqual([
      expect.stringContaining('port'),
    ]);
    expect(manifestProblems({ ...service, spec: { port: [{ port: 1 }] }, specs: 1 })).toEqual([
      '/spec/port: no such field',
      '/spec/port/0: no such field',
      '/spec/port/0/port: no such field',
      '/specs: no such field',
    ]);
  });

  it('every file is named by a kustomization', () => {
    const named = new Set<string>(MANIFEST_FILES);
    for (const folder of KUSTOMIZED) {
      named.add(`${folder}/kustomization.yaml`);
      for (const { files } of readKustomization(folder).configMapGenerator)
        for (const file of files) named.add(`${folder}/${file}`);
    }
    const all = globSync('**/*.yaml', { cwd: KUBERNETES });
    expect(all.filter((file) => !named.has(file))).toEqual([SECRETS]);
    const backing = readKustomization(`${VERIFY}/backing`).resources;
    const found = VERIFY_FILES.map((file) => relative(join(VERIFY, 'backing'), file));
    expect(found.sort()).toEqual([...backing, '../client.yaml'].sort());
  });

  it('contains no value of a secret', () => {
    for (const manifest of readManifests(SECRETS))
      expect(Object.values(manifest.stringData ?? {}).join('')).toBe('');
    const kinds = MANIFEST_FILES.flatMap((file) => readManifests(file)).map(({ kind }) => kind);
    expect(kinds).not.toContain('Secret');
  });

  it('takes each image of the base from the registry that the example names', () => {
    const text = JSON.stringify(
      MANIFEST_FILES.filter((file) => file.startsWith('base/')).flatMap(readManifests),
    );
    const images = [...text.matchAll(/"image":"([^"]+):([^":]+)"/g)].map(([, name]) => name);
    const renamed = readKustomization('example').images;
    expect(renamed.map(({ name }) => name).sort()).toEqual(images.sort());
    for (const { name, newName } of renamed) expect(basename(newName)).toBe(basename(name));
  });
});
