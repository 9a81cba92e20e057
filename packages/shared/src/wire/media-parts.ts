/** Images, recordings and files of a request. Their bytes say little about their tokens. */
export interface MediaParts {
  mediaParts: number;
  /**
   * The parts that may have any number of pages or seconds, whatever their size: a URL or a file id
   * stands for something unknown, and compressed pages, silence or still images take hardly any bytes.
   */
  fileParts: number;
  /** Number of files outside of the request: a URL or an id does not tell their size. */
  unsizedFiles: number;
  /** The length of the images and files inside the request, which no model reads as text. */
  mediaBytes: number;
  /** The part of `mediaBytes` that belongs to files. */
  fileBytes: number;
}

/** Some providers take the type of a part from the ending of its URL. */
const ENDING_OF_FILE = /\.(?:pdf|txt|csv|html|md|mp3|wav|ogg|flac|mp4|webm|mov)$/i;

export class MediaCount implements MediaParts {
  mediaParts = 0;
  fileParts = 0;
  unsizedFiles = 0;
  mediaBytes = 0;
  fileBytes = 0;

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
    if (typeof data !== 'string' || /^https?:/i.test(data)) this.unsizedFiles += 1;
    this.fileBytes += this.#add(data);
  }

  /** Counts a part whose bytes bound its tokens. */
  addText(): void {
    this.mediaParts += 1;
  }

  /** @returns the bytes of `data` that no model reads as text */
  #add(data: unknown): number {
    this.mediaParts += 1;
    // Text in base64 has fewer tokens than bytes, so its bytes count.
    if (typeof data !== 'string' || /^(?:data:text\/|https?:)/i.test(data)) return 0;
    this.mediaBytes += data.length;
    return data.length;
  }

  /** Returns plain members, which can be sent to another thread. */
  result(): MediaParts {
    const { fileBytes, fileParts, mediaBytes, mediaParts, unsizedFiles } = this;
    return { fileBytes, fileParts, mediaBytes, mediaParts, unsizedFiles };
  }
}

/** For requests that have none. */
export const NO_MEDIA: MediaParts = new MediaCount().result();

function namesOtherType(url: unknown): boolean {
  if (typeof url !== 'string') return false;
  if (/^data:/i.test(url)) return !/^data:image\//i.test(url);
  return /^https?:/i.test(url) && ENDING_OF_FILE.test(URL.parse(url)?.pathname ?? '');
}
