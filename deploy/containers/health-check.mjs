// The health check of every image: exits with 0 when GET http://127.0.0.1:PORT/PATH answers 200.
//   node health-check.mjs VARIABLE DEFAULT_PORT PATH    (the environment variable sets the port)
// It is plain JavaScript without fetch, to be cheap: it runs every few seconds, beside the service.
import { get } from 'node:http';
import process from 'node:process';

const [variable, defaultPort, path] = process.argv.slice(2);
const request = get(
  { host: '127.0.0.1', port: process.env[variable] || defaultPort, path, timeout: 2_500 },
  (response) => {
    process.exitCode = response.statusCode === 200 ? 0 : 1;
    // Docker keeps this output: `docker inspect` says why a container is not healthy.
    response.pipe(process.stdout);
  },
);
request.on('timeout', () => request.destroy(new Error('no answer')));
request.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
