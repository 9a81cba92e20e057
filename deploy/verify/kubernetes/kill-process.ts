import type { Cluster } from './cluster.ts';
import { type Images, nameOf } from './images.ts';

const PATIENCE = '60s';

/**
 * Kills the process of a pod as the kernel does when memory is gone. Nothing inside a container can send
 * SIGKILL to its process 1, so this is done by a pod that sees the processes of the node.
 * @param program is in the command line of the process
 * @returns why the cluster does not allow that; undefined: it was done
 */
export async function killProcess(
  cluster: Cluster,
  pod: string,
  images: Images,
  program = 'services/',
): Promise<string | undefined> {
  const found = (
    await cluster.kubectl('get', 'pod', pod, '--output', 'jsonpath={.spec.nodeName} {.metadata.uid}')
  )
    .trim()
    .split(' ');
  const [nodeName = '', uid = ''] = found;
  // Where systemd makes the groups, their names have no hyphens.
  const script = `
    const { readdirSync, readFileSync } = require('node:fs');
    const ids = ${JSON.stringify([uid, uid.replaceAll('-', '_')])};
    for (const pid of readdirSync('/proc').filter((name) => Number(name) > 0)) {
      let group = '', command = '';
      try {
        group = readFileSync('/proc/' + pid + '/cgroup', 'utf8');
        command = readFileSync('/proc/' + pid + '/cmdline', 'utf8');
      } catch { continue; }
      if (command.includes(${JSON.stringify(program)}) && ids.some((id) => group.includes(id))) {
        process.kill(Number(pid), 'SIGKILL');
        console.log('killed');
      }
    }`;
  const overrides = JSON.stringify({
    spec: {
      nodeName,
      hostPID: true,
      containers: [
        {
          name: 'killer',
          image: nameOf(images, 'gatewayctl'),
          command: ['node', '--eval', script],
          securityContext: { runAsUser: 0, capabilities: { drop: ['ALL'], add: ['KILL', 'SYS_PTRACE'] } },
        },
      ],
    },
  });
  const image = ['--image', nameOf(images, 'gatewayctl'), '--restart=Never', `--overrides=${overrides}`];
  const started = await cluster.tryKubectl('run', 'killer', ...image);
  if (started.code !== 0) return `the cluster allows no pod with hostPID: ${started.err.trim()}`;
  try {
    await cluster.kubectl(
      'wait',
      'pod/killer',
      '--for=jsonpath={.status.phase}=Succeeded',
      '--timeout',
      PATIENCE,
    );
    const said = await cluster.kubectl('logs', 'killer');
    if (!said.includes('killed')) throw new Error(`no process of ${pod} was found on ${nodeName}`);
    return undefined;
  } finally {
    await cluster.kubectl('delete', 'pod', 'killer', '--now');
  }
}
