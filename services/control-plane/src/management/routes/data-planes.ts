import { z } from 'zod';
import { drainDataPlane } from '../../fleet/drain-data-plane.ts';
import { route } from '../route.ts';

const drainedDataPlane = z
  .object({
    object: z.literal('data_plane'),
    id: z.string(),
    host: z.string(),
    drained: z.boolean(),
    open_requests: z.int().min(0).describe('As it last reported.'),
  })
  .meta({ id: 'DrainedDataPlane' });

function drainRoute(word: 'drain' | 'undrain', described: { summary: string; description: string }) {
  return route({
    method: 'POST',
    path: `/admin/v1/data_planes/:id/${word}`,
    operationId: `${word}DataPlane`,
    tag: 'Fleet',
    ...described,
    scope: 'fleet:write',
    isInstallationWide: true,
    status: 200,
    body: z.object({}),
    response: drainedDataPlane,
    async handle(context, { actor, params, respondWith }) {
      const drained = word === 'drain';
      const responseFor = (openRequests: number, host: string) => ({
        object: 'data_plane' as const,
        ...{ id: params.id, host, drained, open_requests: openRequests },
      });
      respondWith((after) => responseFor(0, 'host' in after ? String(after.host) : ''));
      const { host, openRequests } = await drainDataPlane(context, actor, { instanceId: params.id, drained });
      return responseFor(openRequests, host);
    },
  });
}

export const dataPlaneRoutes = [
  drainRoute('drain', {
    summary: 'Take a data plane out of traffic',
    description:
      'Its readiness fails, so that load balancers send no new requests; requests under way end. It lasts ' +
      'until `undrain` or the end of the process.',
  }),
  drainRoute('undrain', {
    summary: 'Take a data plane back into traffic',
    description: 'Its readiness succeeds again.',
  }),
];
