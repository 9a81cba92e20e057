// Compiles what a service imports, and keeps the compiled code in the folder that NODE_COMPILE_CACHE names:
//   NODE_COMPILE_CACHE=FOLDER node compile-modules.mjs MODULE
// A service that finds the folder starts without compiling. Node writes it when this process ends.
import { resolve } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

await import(pathToFileURL(resolve(process.argv[2])).href);
process.exit();
