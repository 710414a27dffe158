// What set-up says and asks, in one of the languages. Names of settings, commands and keys are the same in all of them.

export interface SetupTexts {
  title: string;
  lookingForModels: string;
  now: { title: string; model: string; noModel: string; language: string; memory: string; channels: string };
  on: string;
  off: string;
  none: string;

  whichModel: string;
  ways: {
    keep(model: string): string;
    keepHint: string;
    foundKey(service: string, variable: string): string;
    server(name: string): string;
    serverEmpty: string;
    more(count: number): string;
    chatGpt: string;
    chatGptHint: string;
    reuse: string;
    reuseHint: string;
    typeKey: string;
    address: string;
    none: string;
    noneHint: string;
  };
  whichProgram: string;
  codexHint: string;
  claudeHint: string;
  claudeRefused: string;
  codexKept: string;
  asking(name: string): string;
  answers(model: string): string;
  whichService: string;
  keyOf(service: string, page: string | undefined): string;
  keyOnly: string;
  keyAgain: string;
  notAKey: string;
  addressOf: string;
  notAnAddress: string;
  keyOfAddress: string;
  findModel: string;
  nameModel: string;
  nameOne: string;
  refused: { key: string; address: string; network: string; model: string };

  whatNow: string;
  typeKey: string;
  typeKeyAgain: string;
  chooseModel: string;
  tryAgain: string;
  chooseOther: string;
  continueWithout: string;

  whichLanguage: string;
  whatElse: string;
  extras: {
    memory: string;
    memoryHint: string;
    model(present: string): string;
    connectedHint: string;
    search: string;
    searchHint: string;
    completion(shell: string): string;
  };

  search: {
    which: string;
    ofModel(provider: string): string;
    ofModelHint: string;
    ownHint: string;
    hasKeyHint: string;
    needsKeyHint(variable: string): string;
    address: string;
    works(service: string): string;
  };

  onceRunning: string;
  botKnown(channel: string, name: string): string;

  done: string;
  cancelled: string;
  cancelledButKept: string;
  summary: {
    model: string;
    keyIn(variable: string): string;
    reusedFrom(path: string): string;
    steps: string;
    stepsOf(count: number): string;
    search: string;
    completion: string;
    completionAdded(path: string): string;
    completionPresent(path: string): string;
    inFile(bot: string, path: string): string;
    unchanged: string;
    next: string;
    question: string;
    thenWrite: string;
  };
}
