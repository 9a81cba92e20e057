/** Images, recordings and files of a request. Their bytes say little about their tokens. */
export interface MediaParts {
  mediaParts: number;
  /**
   * The parts that may have any number of pages or seconds, whatever their size: a URL or a file id
   * stands for something unknown, and compressed pages, silence or still images take hardly any bytes.
   */
  fileParts: number;
  /** The length of the images and files inside the request, which no model reads as text. */
  mediaBytes: number;
}

/** Some providers take the type of a part from the ending of its URL. */
const ENDING_OF_FILE = /\.(?:pdf|txt|csv|html|md|mp3|wav|ogg|flac|mp4|webm|mov)$/i;

export class MediaCount implements MediaParts {
  mediaParts = 0;
  fileParts = 0;
  mediaBytes = 0;

  /**
   * Counts a part as an image, or as a file if its type is another one.
   * @param url of http(s), or data; or base64 alone
   * @param type of base64 alone
   */
  addImage(url: unknown, type: unknown = 'image/'): void {
    const isImage = typeof type === 'string' && type.startsWith('image/') && !namesOtherType(url);
    if (isImage) this.#add(url);
    else this.addFile(url);
  }

  /** @param data undefined: the file is not inside the request */
  addFile(data?: unknown): void {
    this.fileParts += 1;
    this.#add(data);
  }

  /** Counts a part whose bytes bound its tokens. */
  addText(): void {
    this.mediaParts += 1;
  }

  #add(data: unknown): void {
    this.mediaParts += 1;
    // Text in base64 has fewer tokens than bytes, so its bytes count.
    if (typeof data === 'string' && !/^(?:data:text\/|https?:)/i.test(data)) this.mediaBytes += data.length;
  }

  /** Returns plain members, which can be sent to another thread. */
  result(): MediaParts {
    const { fileParts, mediaBytes, mediaParts } = this;
    return { fileParts, mediaBytes, mediaParts };
  }
}

function namesOtherType(url: unknown): boolean {
  if (typeof url !== 'string') return false;
  if (/^data:/i.test(url)) return !/^data:image\//i.test(url);
  return /^https?:/i.test(url) && ENDING_OF_FILE.test(URL.parse(url)?.pathname ?? '');
}
