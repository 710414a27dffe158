// Everyday words for the same thing, and words for kinds of a thing: a question about a grandmother is answered by a sentence about "grandma", one
// about pets by a sentence about a dog. They are weaker matches than the word itself, used for questions only and never kept in the index. The lists
// have common words alone, without those that often mean something else: others would find more by chance than on purpose. A Chinese word
// has two characters, as in the index.

/** What a word for the same thing counts, and a word for a kind of it. */
const SAME_SHARE = 0.6;
const KIND_SHARE = 0.4;

const SAME = `
mother mom mum mommy mummy mama | father dad daddy papa | grandmother grandma granny nana | grandfather grandpa granddad
child kid | baby infant newborn toddler | husband spouse partner | wife spouse partner | boyfriend partner | girlfriend partner
sibling brother sister | parent mother father mom mum dad | colleague coworker | roommate flatmate housemate | neighbor neighbour | friend buddy pal
job work career profession occupation | boss manager supervisor employer | quit resign leave | salary wage income pay | company firm employer | hire employ recruit
home house apartment flat | rent lease | relocate move | garden yard | sofa couch | fridge refrigerator
buy purchase | sell sale | shop store | expensive costly pricey | cheap inexpensive | cost price pay | money cash
car automobile | bike bicycle cycling | trip journey travel vacation holiday | flight fly plane | hotel hostel | abroad overseas
sick ill unwell | illness disease sickness | doctor physician | injury injure hurt | accident crash | medicine medication pill tablet | pregnant expecting | die death
begin start | end finish stop | movie film cinema | picture photo photograph image | song tune music | book novel | television tv
meal dish food dinner lunch | cook bake | candy sweets | eat food | alcohol beer wine
celebrate celebration party | gift present | wedding marry marriage | divorce separate split | exercise workout gym training | jog run | hike trek
class course lesson | teacher instructor tutor teach | student pupil | university college uni | study learn | exam test | degree diploma graduate
happy glad joy thrilled excited | sad upset unhappy | afraid scared frightened fear nervous | nervous anxious stress worried | angry mad furious | tired exhausted
large big huge | small little tiny | quick fast | hard difficult tough | easy simple | beautiful gorgeous lovely pretty
talk chat speak conversation | phone call | email mail | message text | help support assist | advice advise suggest recommend | meet encounter
town city | nation country | sea ocean | forest wood | beach coast shore | award prize | contest competition tournament | plan intend | decide decision choose | goal aim dream
repair fix mend | damage ruin | hobby pastime | clothes clothing outfit | dog puppy pup | cat kitten kitty | draw drawing sketch | painting paint art
color colour | favorite favourite | theater theatre | center centre | gray grey | organize organise | realize realise | pajamas pyjamas | soccer football
volunteer charity | adopt adoption | concert gig perform | exhibition exhibit gallery | faith religion | diet vegan vegetarian
мама мать мамочка | папа отец | бабушка бабуля | дедушка дед | ребёнок малыш дети | муж супруг | жена супруга | друг приятель | коллега сотрудник | родители мама папа мать отец
работа должность профессия | начальник шеф руководитель босс | уволиться уйти увольнение | зарплата оклад доход | квартира жильё дом | снимать аренда | переехать переезд
купить покупка приобрести | машина автомобиль авто | велосипед велик | поездка путешествие отпуск | самолёт рейс | болеть болезнь больной заболеть | врач доктор | травма сломать
начать начало | закончить конец | фильм кино | фото фотография снимок | песня музыка | книга роман | еда блюдо ужин обед | праздновать праздник вечеринка | подарок дарить | свадьба жениться замуж
тренировка спортзал упражнение | занятие урок курс | учитель преподаватель | университет институт вуз | экзамен зачёт | бояться страх страшно | грустный расстроиться | устать усталый
телефон смартфон | письмо почта | помощь помочь поддержать | город городок | море океан | лес роща | выиграть победа приз | соревнование турнир | ремонт чинить починить | собака пёс щенок | кошка кот котёнок
妈妈 母亲 老妈 | 爸爸 父亲 老爸 | 奶奶 祖母 外婆 姥姥 | 爷爷 祖父 外公 姥爷 | 孩子 小孩 儿童 | 丈夫 老公 先生 | 妻子 老婆 太太 | 同事 同僚 | 朋友 好友 | 父母 爸妈 爸爸 妈妈
工作 职业 上班 岗位 | 老板 上司 领导 经理 | 辞职 离职 | 工资 薪水 收入 | 公司 企业 | 房子 公寓 住处 | 租房 房租 | 搬家 搬到 | 购买 买了 | 汽车 轿车 开车 | 单车 骑车 | 旅行 旅游 出游 度假
生病 患病 病了 | 医生 大夫 | 受伤 摔伤 骨折 | 开始 起初 | 结束 完成 | 电影 影片 | 照片 相片 | 歌曲 音乐 | 小说 书籍 | 晚饭 晚餐 | 午饭 午餐 | 早饭 早餐 | 庆祝 聚会 | 礼物 礼品 | 结婚 婚礼 | 锻炼 健身 运动
课程 上课 | 老师 教师 | 学生 学员 | 大学 高校 | 考试 测验 | 高兴 开心 快乐 | 难过 伤心 | 害怕 担心 紧张 | 疲惫 疲劳 | 手机 电话 | 邮件 邮箱 | 帮助 帮忙 | 比赛 竞赛 | 修理 维修 | 小狗 狗狗 | 小猫 猫咪
`;

const KINDS: Record<string, string> = {
  pet: 'dog cat puppy kitten hamster rabbit parrot bird fish turtle guinea',
  animal:
    'dog cat puppy kitten horse bird rabbit cow sheep goat pig chicken fish turtle snake parrot bear deer fox wolf elephant',
  breed: 'terrier retriever shepherd poodle collie greyhound labrador bulldog beagle spaniel husky',
  instrument:
    'guitar piano violin drum flute cello saxophone clarinet trumpet ukulele accordion harp viola bass keyboard banjo',
  sport:
    'football soccer basketball tennis baseball hockey volleyball golf rugby swim climb surf ski run cycling yoga boxing badminton cricket',
  exercise: 'run swim yoga gym hike cycling climb pilates walk',
  hobby:
    'paint draw read garden cook bake knit sew hike photography pottery dance sing guitar piano chess climb fish collect',
  activity: 'paint draw hike swim camp run dance cook bake pottery climb yoga kayak ski museum picnic garden',
  vehicle: 'car van truck motorcycle motorbike bike bus scooter',
  transport: 'car train bus bike plane tram',
  drink: 'coffee tea beer wine juice water cocktail',
  color: 'red blue green yellow purple orange pink black white brown grey gray turquoise',
  colour: 'red blue green yellow purple orange pink black white brown grey gray turquoise',
  relative:
    'mother father mom mum dad brother sister aunt uncle cousin niece nephew grandmother grandma grandfather grandpa',
  family:
    'mother father mom mum dad brother sister son daughter wife husband kid child parent cousin aunt uncle grandma',
  sibling: 'brother sister twin',
  season: 'spring summer autumn winter',
  language:
    'english spanish french german italian portuguese russian chinese japanese korean arabic hindi turkish polish dutch',
  profession:
    'nurse doctor teacher engineer lawyer carpenter baker chef driver pilot writer journalist architect designer programmer electrician plumber accountant',
  health: 'sick ill doctor hospital pain injury surgery allergy diagnose asthma fever therapy',
  allergy: 'allergic gluten nut peanut lactose pollen',
  feel: 'happy sad proud excited nervous scared relieved grateful anxious thrilled',
  feeling: 'happy sad proud excited nervous scared relieved grateful anxious thrilled',
  emotion: 'happy sad proud excited nervous scared relieved grateful anxious thrilled',
  musician: 'band singer song album concert',
  dessert: 'cake pie cookie ice chocolate pudding',
  furniture: 'sofa couch table chair bed shelf desk lamp',
  питомец: 'собака кошка кот щенок котёнок хомяк кролик попугай',
  питомцы: 'собака кошка кот щенок котёнок хомяк кролик попугай',
  животное: 'собака кошка кот щенок котёнок хомяк кролик попугай лошадь птица корова',
  инструмент: 'гитара пианино скрипка барабан флейта виолончель аккордеон труба',
  спорт: 'футбол баскетбол теннис хоккей волейбол плавание бег лыжи йога бокс',
  родственник: 'мама папа брат сестра тётя дядя бабушка дедушка кузен племянник',
  хобби: 'рисовать вязать готовить гитара пианино танцы фотография рыбалка шахматы',
  транспорт: 'машина поезд автобус велосипед самолёт трамвай метро',
  宠物: '小狗 狗狗 小猫 猫咪 仓鼠 兔子 鹦鹉',
  动物: '小狗 狗狗 小猫 猫咪 仓鼠 兔子 鹦鹉',
  乐器: '吉他 钢琴 提琴 笛子 古筝 二胡',
  运动: '足球 篮球 网球 游泳 跑步 瑜伽 爬山 滑雪 羽毛',
  亲戚: '哥哥 弟弟 姐姐 妹妹 叔叔 阿姨 姑姑 舅舅 表哥 表妹',
  爱好: '画画 摄影 钓鱼 下棋 烘焙 吉他 钢琴 跳舞',
};

export interface WeakMatch {
  /** What it counts, where the word itself counts one. */
  share: number;
  /** The term that it is a match for; undefined where that is not known. */
  of?: string;
}

/** Finds the other terms for a term. */
export function createEverydayWords(stem: (word: string) => string): (term: string) => Map<string, WeakMatch> {
  let known: Map<string, Map<string, WeakMatch>> | undefined;

  function readLists(): Map<string, Map<string, WeakMatch>> {
    const lists = new Map<string, Map<string, WeakMatch>>();
    const add = (of: string, term: string, share: number): void => {
      const others = lists.get(of) ?? new Map<string, WeakMatch>();
      if (term !== of) others.set(term, { of, share });
      lists.set(of, others);
    };
    for (const [thing, words] of Object.entries(KINDS))
      for (const word of words.split(' ')) add(stem(thing), stem(word), KIND_SHARE);
    for (const group of SAME.trim().split(/[|\n]/)) {
      const terms = group.trim().split(' ').map(stem);
      for (const of of terms) for (const term of terms) add(of, term, SAME_SHARE);
    }
    return lists;
  }

  return (term) => {
    known ??= readLists();
    return known.get(term) ?? new Map();
  };
}
