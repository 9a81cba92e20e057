import type { Cluster } from '../cluster.ts';
import type { Trial } from '../trial.ts';

/** A script that prints "open" or "shut". */
const PROBE = (host: string, port: number) => `
  const socket = require('node:net').connect(${port}, '${host}');
  const end = (what) => { console.log(what); process.exit(); };
  socket.on('connect', () => end('open')).on('error', () => end('shut'));
  setTimeout(() => end('shut'), 3_000);`;

/** Lets nobody reach the provider, to find out whether the cluster enforces policies. */
const NOBODY = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: 'nobody' },
  spec: { podSelector: { matchLabels: { app: 'simulated-provider' } }, policyTypes: ['Ingress'] },
};

interface Connection {
  from: { cluster: Cluster; pod: string };
  to: string;
  port: number;
  mayConnect: boolean;
}

/** Checks which pods reach which, if the network enforces policies. */
export async function networkPolicies({ installation, check, skip }: Trial): Promise<void> {
  const { clients, gateway } = installation;
  const outside = { cluster: clients, pod: 'client' };
  const inside = { cluster: gateway, pod: 'gatewayctl' };
  const connects = async ({ from, to, port }: Omit<Connection, 'mayConnect'>) => {
    const host = `${to}.${gateway.namespace}.svc`;
    const probe = ['exec', from.pod, '--', 'node', '--eval', PROBE(host, port)];
    return (await from.cluster.kubectl(...probe)).trim() === 'open';
  };

  const file = installation.write('nobody.json', JSON.stringify(NOBODY));
  await gateway.kubectl('apply', '--filename', file);
  const isEnforced = !(await connects({ from: outside, to: 'simulated-provider', port: 8082 }));
  await gateway.kubectl('delete', '--filename', file);
  const what = 'network policies';
  if (!isEnforced) return skip(what, 'stored, but this cluster’s network enforces none');

  const connections: Connection[] = [
    { from: outside, to: 'data-plane', port: 8080, mayConnect: true },
    { from: outside, to: 'catalog', port: 8081, mayConnect: true },
    { from: outside, to: 'control-plane', port: 50_051, mayConnect: false },
    { from: outside, to: 'data-plane', port: 9080, mayConnect: false },
    { from: inside, to: 'control-plane', port: 50_051, mayConnect: true },
    { from: inside, to: 'postgres', port: 5432, mayConnect: false },
    { from: inside, to: 'data-plane', port: 8080, mayConnect: false },
  ];
  for (const { mayConnect, ...connection } of connections) {
    const { from, to, port } = connection;
    const isOpen = await connects(connection);
    check(`${what}: ${from.pod} to ${to}:${port}`, isOpen === mayConnect, isOpen ? 'open' : 'shut');
  }
}
