import type { reportStatus } from './report-status.ts';

/** Converts the state of the installation to the message for gatewayctl. */
export function statusMessage(status: Awaited<ReturnType<typeof reportStatus>>) {
  const { controlPlanes: _, dataPlanes, ...common } = status;
  return {
    ...common,
    dataPlanes: dataPlanes.map(({ reported, ...plane }) => ({
      ...plane,
      ...(reported !== undefined && {
        version: reported.report.version,
        host: reported.report.host,
        drained: reported.report.drained,
        openRequests: reported.report.openRequests,
      }),
    })),
  };
}
