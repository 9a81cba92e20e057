import type { Translation } from '../../translation/translation.ts';
import { convertChatToAnthropic } from '../anthropic/convert-chat-to-anthropic.ts';
import { rejectRemoteUrls } from '../shared/reject-remote-urls.ts';

export const ANTHROPIC_VERSION = 'vertex-2023-10-16';

export const CHAT_TO_VERTEX_CLAUDE: Translation = {
  name: 'claude on vertex from completions',
  omitsModel: true,
  takesMediaInResults: true,
  apply: (request, model) => {
    rejectRemoteUrls(request, model.id);
    const { request: body, ...rest } = convertChatToAnthropic(request, model, model.upstreamModel);
    return { ...rest, request: { anthropic_version: ANTHROPIC_VERSION, ...body } };
  },
};
