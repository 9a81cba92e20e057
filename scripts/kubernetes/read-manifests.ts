import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';

export const KUBERNETES = fileURLToPath(new URL('../../deploy/kubernetes/', import.meta.url));

export const manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
});
export type Manifest = z.infer<typeof manifest>;

export function readManifests(file: string): Manifest[] {
  const documents = parseAllDocuments(readFileSync(join(KUBERNETES, file), 'utf8'), { merge: true });
  return documents.map((document) => manifest.parse(document.toJS()));
}

const kustomization = z.looseObject({
  kind: z.enum(['Kustomization', 'Component']),
  resources: z.array(z.string()).default([]),
  components: z.array(z.string()).default([]),
  configMapGenerator: z
    .array(
      z.object({
        name: z.string(),
        files: z.array(z.string()).default([]),
        literals: z.array(z.string()).default([]),
      }),
    )
    .default([]),
  images: z.array(z.object({ name: z.string(), newName: z.string(), newTag: z.string() })).default([]),
  patches: z
    .array(
      z.object({
        target: z.object({ kind: z.string(), name: z.string().optional() }),
        // Operations of JSON Patch.
        patch: z
          .string()
          .transform((text): unknown => parse(text))
          .pipe(z.array(z.object({ op: z.string(), path: z.string(), value: z.unknown() }))),
      }),
    )
    .default([]),
});
export type Kustomization = z.infer<typeof kustomization>;

export function readKustomization(folder: string): Kustomization {
  return kustomization.parse(parse(readFileSync(join(KUBERNETES, folder, 'kustomization.yaml'), 'utf8')));
}

/** Every folder below deploy/kubernetes that has a kustomization. */
export const KUSTOMIZED = globSync('**/kustomization.yaml', { cwd: KUBERNETES }).map((file) => dirname(file));

export const MANIFEST_FILES = KUSTOMIZED.flatMap((folder) =>
  readKustomization(folder)
    .resources.filter((resource) => resource.endsWith('.yaml'))
    .map((resource) => join(folder, resource)),
);
