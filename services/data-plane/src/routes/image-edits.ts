import type { RequestListener } from 'node:http';
import type { ImageEdit } from '@model-gateway/dialects';
import { imageEditsCall } from '../capabilities/image-edits.ts';
import { readImageEdit } from '../capabilities/read-image-edit.ts';
import { copyForm } from '../contents/copy-contents.ts';
import type { DataPlaneContext } from '../context.ts';
import type { AuthenticatedExchange, Exchange } from '../http/exchange.ts';
import { serveExchange } from '../http/serve-exchange.ts';
import { estimateTokens } from '../limits/policies.ts';
import { classOf } from '../limits/possible-classes.ts';
import { fingerprintedForm } from '../replay/request-fingerprint.ts';
import { serveIfFirst } from '../replay/serve-once.ts';
import { admitRequest, refuseInvalid } from '../steps/admit-request.ts';
import { finishAnswer } from '../steps/finish-answer.ts';
import { forwardRequest } from '../steps/forward-request.ts';
import { reserveBalance } from '../steps/reserve-balance.ts';
import { resolveModel } from '../steps/resolve-model.ts';
import { settleUsage } from '../steps/settle-usage.ts';
import { type CandidateModels, Candidates } from '../upstream/candidates.ts';
import { authenticate } from './authenticate.ts';
import { checkLabels } from './check-labels.ts';
import { checkLimits } from './validate-request.ts';

const PATH = '/v1/images/edits';
const CAPABILITY = 'images';

/** POST /v1/images/edits: the steps of a JSON route, with a form that is read whole. */
export function imageEdits(context: DataPlaneContext): RequestListener {
  const steps = async (arrived: Exchange) => {
    const exchange = await authenticate(context, arrived, CAPABILITY);
    const refuse = (failure: unknown) => refuseInvalid(context, exchange, failure);
    const { edit, models } = await validate(context, exchange).catch(refuse);
    await serveIfFirst(
      context,
      exchange,
      () => fingerprintedForm(edit),
      () => serve(exchange, edit, models),
    );
  };
  const serve = async (exchange: AuthenticatedExchange, edit: ImageEdit, models: CandidateModels) => {
    if (exchange.record.key.contentsKeyId !== undefined) copyForm(context, exchange, edit);
    const candidates = new Candidates(models, (model) => imageEditsCall(exchange, edit, model, context));
    await admitRequest(context, exchange, {
      limitClass: classOf(models),
      takesStream: false,
      estimateTokens: () => estimateTokens(candidates.current.request, undefined),
    });
    try {
      await reserveBalance(context, exchange, candidates);
      await forwardRequest(context, exchange, candidates);
    } finally {
      const { record } = exchange;
      settleUsage(context, record, { usage: record.usage, outcome: record.outcome });
    }
    await finishAnswer(context, exchange, candidates.current.request.answer);
  };
  return serveExchange(context, PATH, steps);
}

async function validate(
  context: DataPlaneContext,
  exchange: AuthenticatedExchange,
): Promise<{ edit: ImageEdit; models: CandidateModels }> {
  const edit = await readImageEdit(context, exchange, checkLimits(context, exchange));
  const { labels, model, streamed } = edit.value;
  await checkLabels(context, exchange, { labels, capability: CAPABILITY });
  return { edit, models: resolveModel(context, exchange, { model, streamed }, CAPABILITY) };
}
