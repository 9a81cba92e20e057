import type { ContentsServiceHandlers } from '@model-gateway/contracts';
import { reportContents } from '../contents/report-contents.ts';
import type { ControlPlaneContext } from '../context.ts';
import type { MethodsOf } from './grpc-handlers.ts';
import { traffic } from './unary.ts';

export function contentsService(context: ControlPlaneContext): MethodsOf<ContentsServiceHandlers> {
  return { ReportContents: traffic(context, 'ReportContents', reportContents) };
}
