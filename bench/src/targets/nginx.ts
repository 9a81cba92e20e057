import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type PeerOptions, type RunningPeer, SOME_KEY, startPeer } from './peer.ts';

const START_MS = 10_000;
/** More than all requests of a run, so that no connection is closed while it is measured. */
const MANY = 1_000_000_000;
const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

/** A proxy in C with one worker, as the system's package installs it: the minimum for any proxy. */
export async function startNginx(options: PeerOptions): Promise<RunningPeer> {
  const folder = join(options.logDir, 'nginx');
  await mkdir(folder, { recursive: true });
  return startPeer(
    {
      name: 'nginx',
      command: 'nginx',
      args: async (port) => {
        const file = join(folder, 'nginx.conf');
        await writeFile(file, configuration(folder, port, new URL(options.providerUrl).host));
        return ['-p', folder, '-e', 'stderr', '-c', file];
      },
      environment: {},
      readyPath: '/',
      startMs: START_MS,
      target: { says: 'nginx as a proxy, one worker, without access log: the minimum', headers: SOME_KEY },
    },
    options,
  );
}

function configuration(folder: string, port: string, provider: string): string {
  return `
daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log stderr error;
events { worker_connections 4096; }
http {
  access_log off;
  ${TEMPORARY.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  upstream provider { server ${provider}; keepalive 128; keepalive_requests ${MANY}; }
  server {
    listen 127.0.0.1:${port};
    keepalive_requests ${MANY};
    location / {
      proxy_pass http://provider;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }
}
`;
}
