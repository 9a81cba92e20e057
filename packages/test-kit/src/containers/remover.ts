// Removes the containers with a label once standard input ends: then the process that started this one has
// ended. The arguments are the label's name and value.
import { once } from 'node:events';
import process from 'node:process';

const label = process.argv.slice(2).join('=');
await once(process.stdin.resume(), 'end');
const { getContainerRuntimeClient } = await import('testcontainers');
const { dockerode } = (await getContainerRuntimeClient()).container;
const containers = await dockerode.listContainers({ all: true, filters: { label: [label] } });
await Promise.all(containers.map(({ Id }) => dockerode.getContainer(Id).remove({ force: true, v: true })));
