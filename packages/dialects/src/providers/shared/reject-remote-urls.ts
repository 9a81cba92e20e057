import { notExpressible } from '@model-gateway/shared/errors';
import { isObject, type JsonObject } from '../../json/json-object.ts';

const REMOTE_URL = /^https?:\/\//i;

/** For providers that fetch no URLs. @throws GatewayError 400 that names the first one */
export function rejectRemoteUrls({ messages }: JsonObject, modelId: string): void {
  for (const [index, message] of listIn(messages).entries()) {
    const content = isObject(message) ? message.content : undefined;
    for (const [position, part] of listIn(content).entries()) {
      if (!isObject(part)) continue;
      const member = remoteUrlIn(part);
      if (member === undefined) continue;
      const path = `messages[${index}].content[${position}].${member}`;
      throw notExpressible(modelId, path, 'takes no addresses: send the data in base64');
    }
  }
}

function remoteUrlIn({ file, image_url }: JsonObject): string | undefined {
  if (isRemoteUrl(image_url)) return 'image_url';
  if (isObject(image_url) && isRemoteUrl(image_url.url)) return 'image_url.url';
  return isObject(file) && isRemoteUrl(file.file_data) ? 'file.file_data' : undefined;
}

function isRemoteUrl(value: unknown): boolean {
  // The rest may be megabytes of base64.
  return typeof value === 'string' && REMOTE_URL.test(value.slice(0, 10));
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
