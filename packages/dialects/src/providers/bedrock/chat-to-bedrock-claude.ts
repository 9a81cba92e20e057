import type { Translation } from '../../translation/translation.ts';
import { convertChatToAnthropic } from '../anthropic/convert-chat-to-anthropic.ts';
import { rejectRemoteUrls } from '../shared/reject-remote-urls.ts';
import { BEDROCK_TIERS } from './bedrock-tiers.ts';

export const ANTHROPIC_VERSION = 'bedrock-2023-05-31';

const PLATFORM = { isOwnApi: false, tiers: BEDROCK_TIERS };

export const CHAT_TO_BEDROCK_CLAUDE: Translation = {
  name: 'claude on bedrock from completions',
  omitsModel: true,
  takesMediaInResults: true,
  apply: (request, model) => {
    rejectRemoteUrls(request, model.id);
    const { request: translated, ...rest } = convertChatToAnthropic(
      request,
      model,
      model.upstreamModel,
      PLATFORM,
    );
    const { service_tier: _inHeader, stream: _inPath, ...body } = translated;
    return { ...rest, request: { anthropic_version: ANTHROPIC_VERSION, ...body } };
  },
};
