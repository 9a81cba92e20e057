import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadProtosWithOptionsSync } from '@grpc/proto-loader/build/src/util.js';
import { PROTO_LOADER_OPTIONS } from '../src/proto-loader-options.ts';

const packageRoot = fileURLToPath(new URL('..', import.meta.url));
const protoRoot = fileURLToPath(new URL('../../../proto', import.meta.url));
const protoFiles = readdirSync(protoRoot, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.proto'))
  .sort();

rmSync(`${packageRoot}/src/generated`, { recursive: true, force: true });
execFileSync(
  process.execPath,
  [
    fileURLToPath(import.meta.resolve('@grpc/proto-loader/build/bin/proto-loader-gen-types.js')),
    `--longs=${PROTO_LOADER_OPTIONS.longs.name}`,
    ...(PROTO_LOADER_OPTIONS.defaults ? ['--defaults'] : []),
    ...(PROTO_LOADER_OPTIONS.oneofs ? ['--oneofs'] : []),
    '--grpcLib=@grpc/grpc-js',
    '--importFileExtension=.ts',
    `--includeDirs=${protoRoot}`,
    '--outDir=src/generated',
    ...protoFiles,
  ],
  { cwd: packageRoot, stdio: 'inherit' },
);

// `FooMessage` for each message as it is received, and the handlers of each service.
const types = 'gateway/v1';
const lines = readdirSync(`${packageRoot}/src/generated/${types}`).flatMap((file) => {
  const name = file.slice(0, -'.ts'.length);
  const source = readFileSync(`${packageRoot}/src/generated/${types}/${file}`, 'utf8');
  return [
    { exported: `${name}__Output`, as: `${name}__Output as ${name}Message` },
    { exported: `${name}Handlers`, as: `${name}Handlers` },
  ]
    .filter(({ exported }) => source.includes(`export interface ${exported} `))
    .map(({ as }) => `export type { ${as} } from './${types}/${file}';`);
});
writeFileSync(`${packageRoot}/src/generated/messages.ts`, `${lines.join('\n')}\n`);

// The definitions as JSON, which load in half the time, and which a bundle can contain.
const root = loadProtosWithOptionsSync(protoFiles, { ...PROTO_LOADER_OPTIONS, includeDirs: [protoRoot] });
const json = JSON.stringify(JSON.stringify(root.toJSON()));
writeFileSync(`${packageRoot}/src/generated/definitions.ts`, `export const DEFINITIONS = ${json};\n`);
