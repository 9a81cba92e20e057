// Starts a service, stops it, and keeps its compiled code in the folder that NODE_COMPILE_CACHE names:
//   NODE_COMPILE_CACHE=FOLDER node compile-modules.mjs MODULE
// A service that finds the folder starts without compiling. Node writes it when a process ends, also one that
// could not start without a database.
import { fork } from 'node:child_process';
import process from 'node:process';

/** Far more than a busy machine needs. */
const GIVE_UP_MS = 120_000;
const PORTS = { PORT: '0', INTERNAL_PORT: '0', ADMIN_PORT: '0' };

const service = fork(process.argv[2], {
  env: { ...process.env, ...PORTS, NODE_ENV: 'development' },
  stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
});
// Sent when it listens.
service.on('message', () => service.kill('SIGTERM'));
setTimeout(() => service.kill('SIGTERM'), GIVE_UP_MS).unref();
