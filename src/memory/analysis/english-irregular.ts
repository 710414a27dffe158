// Forms of English words that no ending tells: a question says "what did she buy", the text says "bought". Forms that are mostly
// another word are left out (rose, lay, ground, bound, wound, bore), and so are stop-words.
const FORMS =
  'go went gone,get got gotten,give gave given,take took taken,make made,come came,become became,see saw seen,say said,tell told,think thought,know knew known,find found,leave left,feel felt,bring brought,buy bought,keep kept,begin began begun,write wrote written,hear heard,mean meant,meet met,pay paid,sit sat,speak spoke spoken,lead led,grow grew grown,lose lost,fall fell fallen,send sent,build built,understand understood,draw drew drawn,break broke broken,spend spent,rise risen,drive drove driven,wear wore worn,choose chose chosen,eat ate eaten,teach taught,catch caught,sell sold,fight fought,throw threw thrown,sleep slept,win won,forget forgot forgotten,sing sang sung,swim swam swum,fly flew flown,ride rode ridden,run ran,drink drank drunk,ring rang rung,shake shook shaken,steal stole stolen,hide hid hidden,hang hung,hold held,sweep swept,tear torn,swear swore sworn,freeze froze frozen,wake woke woken,bite bit bitten,blow blew blown,stick stuck,strike struck,dig dug,deal dealt,feed fed,lend lent,shoot shot,sink sank sunk,bend bent,dream dreamt,learn learnt,burn burnt,spell spelt,smell smelt,spill spilt,lean leant,leap leapt,kneel knelt,weep wept,creep crept,seek sought,shrink shrank shrunk,spring sprang sprung,stand stood,withdraw withdrew withdrawn,arise arose arisen,mistake mistook mistaken,undergo underwent undergone,overcome overcame,foresee foresaw foreseen,forgive forgave forgiven,forbid forbade forbidden,bleed bled,breed bred,flee fled,slide slid,shine shone,spin spun,swing swung,cling clung,sting stung,swell swollen,weave wove woven,lie lain,child children,man men,woman women,foot feet,tooth teeth,mouse mice,goose geese,person people,wife wives,life lives,knife knives,half halves,shelf shelves,wolf wolves,thief thieves,loaf loaves';

/** The dictionary form by the irregular one. */
export const IRREGULAR: ReadonlyMap<string, string> = new Map(
  FORMS.split(',').flatMap((line) => {
    const [base = '', ...forms] = line.split(' ');
    return forms.map((form): [string, string] => [form, base]);
  }),
);
