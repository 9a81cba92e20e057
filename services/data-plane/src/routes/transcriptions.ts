import type { RequestListener } from 'node:http';
import { transcriptionCall } from '../capabilities/transcription/transcription-call.ts';
import type { DataPlaneContext } from '../context.ts';
import { serveExchange } from '../http/serve-exchange.ts';
import { authenticateKey } from '../steps/authenticate-key.ts';
import { forwardRequest } from '../steps/forward-request.ts';
import { readTranscription } from '../steps/read-transcription.ts';
import { resolveModel } from '../steps/resolve-model.ts';
import { settleUsage } from '../steps/settle-usage.ts';

/** POST /v1/audio/transcriptions: the same road, with a form that streams through it. */
export function transcriptions(context: DataPlaneContext): RequestListener {
  return serveExchange(context, '/v1/audio/transcriptions', async (exchange) => {
    await authenticateKey(context, exchange);
    const upload = await readTranscription(context, exchange);
    try {
      const model = resolveModel(
        context,
        exchange,
        { model: upload.model, streamed: false },
        'transcription',
      );
      const call = transcriptionCall(exchange, upload, context.streamTimings);
      await forwardRequest(context, exchange, model, call);
    } finally {
      upload.release();
      settleUsage(context, exchange);
    }
  });
}
