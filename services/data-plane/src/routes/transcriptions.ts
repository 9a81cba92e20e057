import type { RequestListener } from 'node:http';
import { bufferUpload, wholeForm } from '../capabilities/transcription/buffer-upload.ts';
import {
  readTranscription,
  type TranscriptionUpload,
} from '../capabilities/transcription/read-transcription.ts';
import { Recording } from '../capabilities/transcription/recording.ts';
import { transcriptionCall } from '../capabilities/transcription/transcription-call.ts';
import { copyForm } from '../contents/copy-contents.ts';
import type { DataPlaneContext } from '../context.ts';
import type { AuthenticatedExchange, Exchange } from '../http/exchange.ts';
import { serveExchange } from '../http/serve-exchange.ts';
import { classOf, possibleClasses } from '../limits/possible-classes.ts';
import { fingerprintedForm } from '../replay/request-fingerprint.ts';
import { hasIdempotencyKey, serveOnce } from '../replay/serve-once.ts';
import { admitRequest, refuseInvalid, refuseKnownFull } from '../steps/admit-request.ts';
import { finishAnswer } from '../steps/finish-answer.ts';
import { forwardRequest } from '../steps/forward-request.ts';
import { reserveBalance } from '../steps/reserve-balance.ts';
import { resolveModel } from '../steps/resolve-model.ts';
import { settleUsage } from '../steps/settle-usage.ts';
import { type CandidateModels, Candidates } from '../upstream/candidates.ts';
import { authenticate } from './authenticate.ts';
import { checkLabels } from './check-labels.ts';

/** POST /v1/audio/transcriptions: the steps of a JSON route, with a form that streams. */
export function transcriptions(context: DataPlaneContext): RequestListener {
  const steps = async (arrived: Exchange) => {
    const exchange = await authenticate(context, arrived, 'transcription');
    const refuse = (failure: unknown) => refuseInvalid(context, exchange, failure);
    const checkLarge = (arrived: readonly Buffer[]) =>
      refuseKnownFull(context, exchange, possibleClasses(context.models.table, arrived));
    const upload = await readTranscription(context, exchange, checkLarge).catch(refuse);
    try {
      const models = await validate(context, exchange, upload).catch(refuse);
      if (!hasIdempotencyKey(exchange)) return await serve(exchange, upload, models);
      // Only a whole upload can be compared with an earlier one.
      const whole = await bufferUpload(context, exchange, upload).catch(refuse);
      const body = () => fingerprintedForm(wholeForm(whole));
      await serveOnce(context, exchange, body, () => serve(exchange, whole, models));
    } finally {
      upload.release();
    }
  };
  const serve = async (
    exchange: AuthenticatedExchange,
    upload: TranscriptionUpload,
    models: CandidateModels,
  ) => {
    if (exchange.record.key.contentsKeyId !== undefined) {
      const { mimeType } = upload.file;
      copyForm(context, exchange, { fields: upload.fields, files: [{ field: 'file', mimeType }] });
    }
    // Audio has no estimate of tokens: they count when its usage is known.
    const estimateTokens = () => ({ fixed: 0, flexible: 0 });
    await admitRequest(context, exchange, {
      limitClass: classOf(models),
      takesStream: false,
      estimateTokens,
    });
    const recording = new Recording(context, exchange, upload);
    const candidates = new Candidates(models, () => transcriptionCall(exchange, upload, recording, context));
    try {
      await reserveBalance(context, exchange, candidates);
      await recording.buffer(models.some(({ model }) => model.price !== undefined));
      await forwardRequest(context, exchange, candidates);
    } finally {
      const { record } = exchange;
      settleUsage(context, record, { usage: record.usage, outcome: record.outcome });
    }
    await finishAnswer(context, exchange, candidates.current.request.answer);
  };
  return serveExchange(context, '/v1/audio/transcriptions', steps);
}

async function validate(
  context: DataPlaneContext,
  exchange: AuthenticatedExchange,
  { labels, model }: TranscriptionUpload,
): Promise<CandidateModels> {
  await checkLabels(context, exchange, { labels, capability: 'transcription' });
  return resolveModel(context, exchange, { model, streamed: false }, 'transcription');
}
