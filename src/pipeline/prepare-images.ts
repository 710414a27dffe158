import type { ModelImage } from '../adapters/adapter.ts';
import { DocumentProblem } from '../documents/document.ts';
import { preparePicture } from '../documents/prepare-picture.ts';

/** As a model is given them. One that cannot be prepared goes as it is: the provider may know better. */
export function prepareImages(images: readonly ModelImage[]): Promise<ModelImage[]> {
  return Promise.all(
    images.map(async (image) => {
      try {
        const { mediaType, bytes } = await preparePicture(Buffer.from(image.data, 'base64'));
        return { mimeType: mediaType, data: bytes.toString('base64') };
      } catch (error) {
        if (error instanceof DocumentProblem) return image;
        throw error;
      }
    }),
  );
}
