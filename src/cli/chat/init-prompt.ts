/** What /init asks for. The person sees it as their message and approves the file as any other. */
export const INIT_PROMPT = `Write a first AGENTS.md for this project, in its root folder.

Look at the project before you write: the list of files, the readme, the manifests of its packages, the configuration of build, tests and checks, and a few source files that show how the code is organised. Read only what you need.

AGENTS.md tells an assistant that works here for the first time what it could not guess:
- what the project is, in one or two sentences;
- the commands to install, build, check and test it, and how to run a single test;
- how the code is organised, and which way dependencies may point;
- conventions that the code follows: style, naming, errors, tests;
- what must not be done.

Keep it under 60 lines, in plain words, without advice that is true of every project. Write nothing that you have not seen in the files. If there is an AGENTS.md already, read it, keep what is right in it, and improve the rest. Use the tool file_write, then say in a few words what you wrote.`;
