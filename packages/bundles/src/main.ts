// Bundles every program: `node packages/bundles/src/main.ts`. `scripts/bootstrap.mjs --bundles` does it
// when needed.
import { buildProgram } from './build-program.ts';
import { findPrograms } from './programs.ts';

const programs = findPrograms();
await Promise.all(programs.map((program) => buildProgram(program, programs)));
