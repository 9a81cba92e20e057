import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import type { Check } from '../report.ts';
import type { Stack } from '../stack.ts';

const CONNECTIONS = 10_000;
const AT_ONCE = 200;
const HOLD_MS = 20_000;
const DEADLINE_MS = 120_000;

/** Opens the connections from a container, past Docker's proxy, and prints how many got a response. */
const CLIENT = `
  const { connect } = require('node:net');
  const { address } = await require('node:dns/promises').lookup('load-balancer');
  const open = () => new Promise((resolve) => {
    const socket = connect(8080, address);
    socket.on('error', () => resolve(false));
    socket.once('data', (head) => resolve(String(head).startsWith('HTTP/1.1 200')));
    socket.write('GET /health HTTP/1.1\\r\\nHost: load-balancer\\r\\n\\r\\n');
  });
  let answered = 0;
  for (let n = 0; n < ${CONNECTIONS}; n += ${AT_ONCE})
    answered += (await Promise.all(Array.from({ length: ${AT_ONCE} }, open))).filter(Boolean).length;
  console.log(JSON.stringify({ answered }));
  setTimeout(() => process.exit(0), ${HOLD_MS});
`;
const opened = z.object({ answered: z.number() });

/** Checks that ten thousand idle connections do not block other clients. */
export async function idleConnections(stack: Stack, check: Check): Promise<void> {
  const balancer = await stack.container('load-balancer');
  const client = await stack.startBeside('load-balancer', CLIENT);
  try {
    const line = await printed(stack, client);
    const response = await fetch(`${stack.baseUrl}/v1/models`);
    const memory = await stack.docker('stats', '--no-stream', '--format', '{{.MemUsage}}', balancer.ID);
    check(
      `${CONNECTIONS} idle connections: others are served`,
      opened.parse(JSON.parse(line)).answered === CONNECTIONS && response.ok,
      `${response.status}; the load balancer has ${memory.trim()}`,
    );
  } finally {
    await stack.tryDocker('rm', '--force', client);
  }
}

async function printed(stack: Stack, container: string): Promise<string> {
  for (const deadline = performance.now() + DEADLINE_MS; performance.now() < deadline; await wait(300)) {
    const [line] = (await stack.docker('logs', container)).split('\n');
    if (line) return line;
  }
  throw new Error(`not connected after ${DEADLINE_MS} ms`);
}
