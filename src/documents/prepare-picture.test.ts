import sharp from 'sharp';
import { expect, it } from 'vitest';
import { LARGEST_BYTES, LONGEST_SIDE, preparePicture } from './prepare-picture.ts';

const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#336699' } });
const noise = async (width: number, height: number): Promise<Buffer> => {
  const pixels = Buffer.alloc(width * height * 3);
  for (let at = 0, value = 1; at < pixels.length; at += 1) {
    value = (Math.imul(value, 1_103_515_245) + 12_345) | 0;
    pixels[at] = value >> 16;
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
};

it('a small picture without marks of a camera stays as it is', async () => {
  const bytes = await plain(300, 200).png().toBuffer();
  expect(await preparePicture(bytes)).toEqual({
    mediaType: 'image/png',
    bytes,
    width: 300,
    height: 200,
    original: { width: 300, height: 200 },
    count: 1,
  });
});

it('a photo is made smaller, turned upright, and loses what its camera wrote', async () => {
  const secret = 'GPS 52.5200 N 13.4050 E';
  const bytes = await plain(4_000, 3_000)
    .jpeg()
    .withExif({ IFD0: { ImageDescription: secret }, IFD3: { GPSLatitude: '52/1 31/1 0/1' } })
    .withMetadata({ orientation: 6 })
    .toBuffer();
  const photo = await sharp(bytes)
    .withExif({ IFD0: { ImageDescription: secret, Orientation: '6' } })
    .toBuffer();
  expect(photo.includes(secret)).toBe(true);
  const shown = await preparePicture(photo);
  expect(shown).toMatchObject({ mediaType: 'image/jpeg', width: 1_176, height: LONGEST_SIDE });
  expect(shown.original).toEqual({ width: 3_000, height: 4_000 });
  expect(shown.bytes.includes(secret)).toBe(false);
  expect((await sharp(shown.bytes).metadata()).exif).toBeUndefined();
});

it('a picture of many bytes is made to fit', async () => {
  const shown = await preparePicture(await noise(1_500, 1_400));
  expect(shown.mediaType).toBe('image/jpeg');
  expect(shown.bytes.length).toBeLessThan(LARGEST_BYTES);
});

it('a kind that models do not take becomes one that they do', async () => {
  const tiff = await plain(20, 10).tiff().toBuffer();
  expect(await preparePicture(tiff)).toMatchObject({ mediaType: 'image/jpeg', width: 20, height: 10 });
});

it.each(['gif', 'webp'] as const)('of an animation the first picture is shown: %s', async (kind) => {
  const frames = await Promise.all(
    ['#f00', '#00f'].map((background) =>
      sharp({ create: { width: 20, height: 10, channels: 3, background } })
        .png()
        .toBuffer(),
    ),
  );
  const animation = await sharp(frames, { join: { animated: true } })
    .toFormat(kind)
    .toBuffer();
  const shown = await preparePicture(animation);
  expect(shown).toMatchObject({ width: 20, height: 10, count: 2, original: { width: 20, height: 10 } });
  expect((await sharp(shown.bytes).metadata()).pages ?? 1).toBe(1);
  const [red = 0, , blue = 255] = await sharp(shown.bytes).raw().toBuffer();
  expect(red).toBeGreaterThan(200);
  expect(blue).toBeLessThan(60);
});

it.each([
  ['HEIC', Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic and more', 'latin1')],
  [
    'BMP',
    Buffer.concat([Buffer.from('424d3a0000000000000036000000280000000100000001000000', 'hex'), Buffer.alloc(32)]),
  ],
])('%s is refused by its name', async (kind, bytes) => {
  await expect(preparePicture(bytes)).rejects.toMatchObject({
    code: 'unsupported',
    message: `it is a ${kind} picture, a kind that is not supported: save it as JPEG or PNG`,
  });
});

it('too many pixels and damage are refused', async () => {
  const header = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  await expect(preparePicture(header)).rejects.toMatchObject({ code: 'damaged' });
  const whole = await plain(12_000, 10_000).png().toBuffer();
  await expect(preparePicture(whole)).rejects.toMatchObject({ code: 'too_large' });
});
