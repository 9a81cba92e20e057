import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
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
