// Finds the skills in a tree and picks those to install. A SKILL.md below another one's folder belongs to that skill.
import { findByName, foldedName } from '../../lib/given-name.ts';
import { readFrontMatter } from '../front-matter.ts';
import { MAX_SKILL_BYTES, SKILL_FILE, type SkillFacts } from '../skill.ts';
import { SkillError } from '../skill-error.ts';
import { MAX_FILE_BYTES, MAX_FILES, MAX_TOTAL_BYTES, type Tree, type TreeEntry } from './tree.ts';

const MAX_CANDIDATES = 500;

export interface Chosen {
  facts: SkillFacts;
  /** The skill's regular files, with the path of each in the skill's folder. */
  files: { entry: TreeEntry; path: string }[];
  /** Links and special files, which are left out. */
  skipped: string[];
}

/** Without names, chooses the only skill; several skills need names. */
export async function chooseSkills(tree: Tree, names: readonly string[], signal?: AbortSignal): Promise<Chosen[]> {
  const { valid, problems } = await candidatesIn(tree, signal);
  if (valid.size === 0) {
    const why =
      problems.length > 0
        ? `its ${problems[0]?.folder || SKILL_FILE} cannot be used: ${problems[0]?.reason}`
        : `it has no ${SKILL_FILE}`;
    throw new SkillError('SKILL_INVALID', `there is no skill to install: ${why}`);
  }
  const all = [...valid.values()].map(({ facts }) => facts.name);
  if (names.length === 0 && all.length > 1) {
    throw new SkillError(
      'SKILL_SOURCE',
      `it holds ${all.length} skills: choose with --skill <names> (${all.join(', ')})`,
    );
  }
  const candidates = [...valid.values()].map((candidate) => ({ name: candidate.facts.name, candidate }));
  return (names.length === 0 ? all : [...new Set(names)]).map((name) => {
    const found = findByName(candidates, name)?.candidate;
    if (!found) throw new SkillError('SKILL_NOT_FOUND', `it holds no skill "${name}"; it holds ${all.join(', ')}`);
    return filesOf(tree, found);
  });
}

interface Candidate {
  facts: SkillFacts;
  folder: string;
}

async function candidatesIn(tree: Tree, signal?: AbortSignal) {
  const folders = tree.entries
    .filter(({ path, kind }) => kind === 'file' && (path === SKILL_FILE || path.endsWith(`/${SKILL_FILE}`)))
    .map((entry) => ({ entry, folder: entry.path.slice(0, -SKILL_FILE.length) }))
    .filter(({ folder }) => !/(^|\/)(node_modules|\.git)\//.test(folder))
    .sort((a, b) => a.folder.length - b.folder.length || (a.folder < b.folder ? -1 : 1))
    .slice(0, MAX_CANDIDATES);
  const outermost: typeof folders = [];
  for (const found of folders) {
    if (!outermost.some(({ folder }) => found.folder.startsWith(folder))) outermost.push(found);
  }
  const valid = new Map<string, Candidate>();
  const problems: { folder: string; reason: string }[] = [];
  const readable = outermost.filter(({ entry, folder }) => {
    if (entry.size <= MAX_SKILL_BYTES) return true;
    problems.push({
      folder,
      reason: `its ${SKILL_FILE} has ${entry.size} bytes, over the limit of ${MAX_SKILL_BYTES}`,
    });
    return false;
  });
  const contents = await tree.read(
    readable.map(({ entry }) => entry),
    signal,
  );
  for (const [index, { folder }] of readable.entries()) {
    const read = await readFrontMatter(contents[index] ?? Buffer.alloc(0));
    if (!read.ok) problems.push({ folder, reason: read.reason });
    else if (!valid.has(foldedName(read.facts.name)))
      valid.set(foldedName(read.facts.name), { facts: read.facts, folder });
  }
  return { valid, problems };
}

function filesOf(tree: Tree, { facts, folder }: Candidate): Chosen {
  const inside = tree.entries
    .filter(({ path }) => path.startsWith(folder))
    .map((entry) => ({ entry, path: entry.path.slice(folder.length) }))
    .filter(({ path }) => !/(^|\/)\.git(\/|$)/.test(path));
  const files = inside.filter(({ entry }) => entry.kind === 'file');
  const total = files.reduce((sum, { entry }) => sum + entry.size, 0);
  const largest = files.find(({ entry }) => entry.size > MAX_FILE_BYTES);
  if (largest)
    throw limit(facts, `${largest.path} has ${largest.entry.size} bytes, over the limit of ${MAX_FILE_BYTES}`);
  if (files.length > MAX_FILES) throw limit(facts, `it has ${files.length} files, over the limit of ${MAX_FILES}`);
  if (total > MAX_TOTAL_BYTES) throw limit(facts, `it has ${total} bytes, over the limit of ${MAX_TOTAL_BYTES}`);
  return { facts, files, skipped: inside.filter(({ entry }) => entry.kind !== 'file').map(({ path }) => path) };
}

function limit({ name }: SkillFacts, why: string): SkillError {
  return new SkillError('SKILL_LIMIT', `the skill "${name}" is not installed: ${why}`);
}
