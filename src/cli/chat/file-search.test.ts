import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFileSearch, type FileSearch } from './file-search.ts';

function searchOf(...paths: string[]): FileSearch {
  const search = createFileSearch();
  for (const path of paths) search.add(path);
  return search;
}

describe('files by some letters of their paths', () => {
  it('the name counts before the folders, letters that stand together before scattered ones, short before long', () => {
    const search = searchOf(
      'cart/index.ts',
      'src/c-a-r-t.ts',
      'src/shopping/cart.ts',
      'src/cart.ts',
      'src/my-cart.ts',
      'c/a/r/t.ts',
      'README.md',
    );
    expect(search.find('cart', 10)).toEqual([
      'src/cart.ts',
      'src/shopping/cart.ts',
      'src/my-cart.ts',
      'cart/index.ts',
      'src/c-a-r-t.ts',
      'c/a/r/t.ts',
    ]);
    expect(search.find('cart', 2)).toEqual(['src/cart.ts', 'src/shopping/cart.ts']);
  });

  it.each([
    ['letters of several folders', 'srcpay', 'src/lib/payment.ts'],
    ['capitals or none', 'readme', 'README.md'],
    ['written with a folder', 'lib/pay', 'src/lib/payment.ts'],
    ['Chinese', '计划', 'docs/计划.md'],
  ])('finds by %s', (_what, query, expected) => {
    expect(searchOf('src/lib/payment.ts', 'README.md', 'docs/计划.md').find(query, 5)).toEqual([expected]);
  });

  it('offers the first ones before a letter is typed', () => {
    const search = searchOf('b.ts', 'a.ts');
    expect([search.find('', 1), search.find('a', 5)]).toEqual([['b.ts'], ['a.ts']]);
  });

  it('knows what was added since the last query', () => {
    const search = searchOf('a.ts');
    expect(search.find('a', 5)).toEqual(['a.ts']);
    search.add('abc.ts');
    expect(search.find('ab', 5)).toEqual(['abc.ts']);
  });

  it('finds exactly the paths that have the letters in their order, however the query grew', () => {
    const path = fc.stringMatching(/^[a-cA-C/.]{1,12}$/);
    fc.assert(
      fc.property(fc.array(path, { maxLength: 40 }), fc.stringMatching(/^[a-c/]{1,4}$/), (paths, query) => {
        const unique = [...new Set(paths)];
        const search = searchOf(...unique);
        for (let end = 0; end < query.length; end += 1) search.find(query.slice(0, end), 5);
        const scattered = new RegExp([...query].join('.*'), 'i');
        expect(search.find(query, 100).sort()).toEqual(unique.filter((each) => scattered.test(each)).sort());
      }),
    );
  });
});
