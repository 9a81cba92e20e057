import { writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { BUNDLES, type Program } from './programs.ts';

/** Packages that are loaded only where they are installed. */
const OPTIONAL = ['pg-native'];
/** Begins the name of a module that exports a folder, for CommonJS modules, which have no import.meta. */
const FOLDER = 'folder:';
const FOLDER_OF_FILE = /(?<![\w$.'"])__dirname\b(?!['"])/g;
const URL_OF_FILE = /new URL\(\s*'([^']+)',\s*import\.meta\.url,?\s*\)|import\.meta\.url/g;

/**
 * Bundles a program with its packages: one file for each entry, and files for what it imports only later.
 * @param all every program. Entries of other programs stay outside of this bundle.
 * @param bundles the folder of all bundles
 * @throws when a file is missing or is no TypeScript
 */
export async function buildProgram(
  program: Program,
  all: readonly Program[],
  bundles = BUNDLES,
): Promise<void> {
  const folder = join(bundles, program.name);
  const bundle = await rolldown({
    input: Object.fromEntries(program.entries.map(({ name, file }) => [`${name}.bundle`, file])),
    platform: 'node',
    external: OPTIONAL,
    plugins: [keepPlaces(program, all, folder)],
    onLog: (level, log) => {
      // Packages have both, which does no harm in a bundle.
      if (log.code === 'EVAL' || log.code === 'CIRCULAR_DEPENDENCY') return;
      throw new Error(`${level} in the bundle of ${program.name}: ${log.message}`);
    },
  });
  await bundle.write({
    dir: folder,
    cleanDir: true,
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
    // Stack traces need only file names and lines, not the sources.
    sourcemap: true,
    sourcemapExcludeSources: true,
  });
  for (const { name } of program.entries) writeFileSync(join(folder, `${name}.mjs`), starter(name));
}

/** Enables source maps before the bundle is loaded: Node reads the map of a module when it loads it. */
function starter(name: string): string {
  return `process.setSourceMapsEnabled(true);\nawait import('./${name}.bundle.mjs');\n`;
}

/**
 * Lets code find files as if it still ran in its own folder: URLs lead to the same files of the repository,
 * and URLs of entries to their bundles.
 */
function keepPlaces(program: Program, all: readonly Program[], folder: string): Plugin {
  const bundles = new Map(
    all.flatMap(({ name, entries }) =>
      entries.map((entry) => [entry.file, `../${name}/${entry.name}.mjs`] as const),
    ),
  );
  const own = new Set(program.entries.map(({ file }) => file));
  return {
    name: 'keep-places',
    resolveId(specifier, importer) {
      if (specifier.startsWith(FOLDER)) return specifier;
      if (importer === undefined || !specifier.startsWith('.')) return null;
      const file = resolve(dirname(importer), specifier);
      const id = own.has(file) ? undefined : bundles.get(file);
      return id === undefined ? null : { id, external: 'relative' };
    },
    load(id) {
      if (!id.startsWith(FOLDER)) return null;
      const url = `new URL(${JSON.stringify(id.slice(FOLDER.length))}, import.meta.url)`;
      return `import { fileURLToPath } from 'node:url';\nexport const folder = fileURLToPath(${url});\n`;
    },
    transform(code, id) {
      if (id.startsWith(FOLDER)) return null;
      const place = relative(folder, id);
      const replaced = code
        .replaceAll(URL_OF_FILE, (_whole, target?: string) => {
          const bundle = target === undefined ? undefined : bundles.get(resolve(dirname(id), target));
          if (bundle !== undefined) return `new URL('${bundle}', import.meta.url)`;
          const url = `new URL('${place}', import.meta.url).href`;
          return target === undefined ? url : `new URL('${target}', ${url})`;
        })
        .replaceAll(FOLDER_OF_FILE, `require('${FOLDER}${dirname(place)}').folder`);
      // Without the maps of libraries: reading them at the first stack trace would take 100 ms.
      return { code: replaced, map: id.includes('/node_modules/') ? { mappings: '' } : null };
    },
  };
}
