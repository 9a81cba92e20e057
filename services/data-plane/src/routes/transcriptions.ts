import type { RequestListener } from 'node:http';
import {
  readTranscription,
  type TranscriptionUpload,
} from '../capabilities/transcription/read-transcription.ts';
import { Recording } from '../capabilities/transcription/recording.ts';
import { transcriptionCall } from '../capabilities/transcription/transcription-call.ts';
import { copyUpload } from '../contents/copy-contents.ts';
import type { DataPlaneContext } from '../context.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { serveExchange } from '../http/serve-exchange.ts';
import { classOf, possibleClasses } from '../limits/possible-classes.ts';
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
  return serveExchange(context, '/v1/audio/transcriptions', async (arrived) => {
    const exchange = await authenticate(context, arrived, 'transcription');
    const refuse = (failure: unknown) => refuseInvalid(context, exchange, failure);
    const checkLarge = (arrived: readonly Buffer[]) =>
      refuseKnownFull(context, exchange, possibleClasses(context.models.table, arrived));
    const upload = await readTranscription(context, exchange, checkLarge).catch(refuse);
    if (exchange.record.key.contentsKeyId !== undefined) copyUpload(context, exchange, upload);
    try {
      const models = await validate(context, exchange, upload).catch(refuse);
      // Audio has no estimate of tokens: they count when its usage is known.
      const estimateTokens = () => ({ fixed: 0, flexible: 0 });
      await admitRequest(context, exchange, {
        limitClass: classOf(models),
        takesStream: false,
        estimateTokens,
      });
      const recording = new Recording(context, exchange, upload);
      const candidates = new Candidates(models, () =>
        transcriptionCall(exchange, upload, recording, context),
      );
      try {
        await reserveBalance(context, exchange, candidates);
        await recording.buffer(models.some(({ model }) => model.price !== undefined));
        await forwardRequest(context, exchange, candidates);
      } finally {
        const { record } = exchange;
        settleUsage(context, record, { usage: record.usage, outcome: record.outcome });
      }
      await finishAnswer(context, exchange, candidates.current.request.answer);
    } finally {
      upload.release();
    }
  });
}

async function validate(
  context: DataPlaneContext,
  exchange: AuthenticatedExchange,
  { labels, model }: TranscriptionUpload,
): Promise<CandidateModels> {
  await checkLabels(context, exchange, { labels, capability: 'transcription' });
  return resolveModel(context, exchange, { model, streamed: false }, 'transcription');
}
