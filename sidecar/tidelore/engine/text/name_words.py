"""Word lists for names in European scripts. All lower case but where capitals carry meaning."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Written with a capital inside sentences, and yet no name of anyone: pronouns, days, months, feasts, kin, interjections.
NEVER = _words("""
    i i'm i've i'll i'd me my mine we us our you your yours he him his she her hers it its they them their this that these those
    the a an who whom whose what which when where why how here there and or but nor so if then than as at by for from in into of
    on onto to with without not no yes yeah yep yup nope nah ok okay oh ah ooh aah aw aww wow whoa hey hi hello hiya howdy yo
    hmm hm huh uh um er ugh oops ouch yay woohoo woo-hoo phew gosh geez jeez haha hahaha hehe lol lmao omg wtf btw tbh imo imho
    idk fyi asap brb ooc ic nsfw ps tldr rip diy tv pc vr ar ai ui id dm gm pov aka am pm bc ad ce bce thanks thank please sorry
    welcome congrats congratulations cheers bye goodbye monday tuesday wednesday thursday friday saturday sunday mon tue tues
    wed thu thurs fri mondays tuesdays wednesdays thursdays fridays saturdays sundays january february march april may june july
    august september october november december jan feb mar apr jun jul aug sept sep oct nov dec christmas xmas easter halloween
    thanksgiving valentine valentines hanukkah ramadan diwali etc no vs everyone everybody everything someone somebody something
    anyone anybody anything nobody nothing good great nice super happy merry best more most very too just let lets can could
    would should shall must might do does did don't doesn't didn't won't can't couldn't is are was were be been being have has
    had isn't aren't wasn't he's she's bon voyage appetit bravo
    """)
# No names by themselves, but parts of longer ones ("Sailor Moon", "Lady Ashdown").
NEVER_ALONE = _words("""
    mom mum mommy mummy mother dad daddy father papa mama grandma grandpa granny grandmother grandfather nana auntie sis bro
    mate dude man guys girl boy sir ma'am madam maam master mistress milord milady lord lady god gods goddess heaven hell jesus
    christ lord goodness satan devil internet web wifi wi-fi bluetooth app apps usb gps led dna phd mba ba bs ma md ceo cto cfo
    hr pr faq pdf html css json xml yaml sql api url http https markdown north south east west northern southern eastern western
    earth sun moon al la le el de morning afternoon evening night birthday anniversary springtime summer winter autumn fall
    spring day days week month year years today tomorrow tonight yesterday eve chapter part act scene section page figure table
    volume episode season level note warning chief bless damn dear love honey sweetie darling babe baby sweetheart buddy pal
    folks friends user assistant system human char npc little big
    """)

# Peoples and tongues. They may stand inside a longer name ("the French Quarter").
PEOPLES = _words("""
    american americans british english englishman irish scottish welsh french german germans italian italians spanish portuguese
    dutch swiss swedish norwegian danish finnish icelandic polish czech slovak hungarian austrian romanian bulgarian greek
    greeks turkish russian russians ukrainian serbian croatian european europeans chinese japanese korean koreans taiwanese
    vietnamese thai indian indians pakistani indonesian malaysian filipino asian asians african africans egyptian moroccan
    nigerian kenyan ethiopian arab arabs arabic israeli iranian persian iraqi syrian lebanese afghan australian australians
    hawaiian canadian canadians mexican mexicans brazilian argentinian argentine chilean colombian peruvian cuban caribbean
    latin latino latina hispanic roman romans jewish jews muslim muslims christian christians catholic buddhist hindu mandarin
    cantonese hebrew hindi urdu bengali tamil victorian gothic renaissance medieval elvish dwarven elven dwarvish orcish
    mediterranean
    """)

# English words that open sentences and are no names there. Inside a sentence a capital on one of these is taken seriously.
START = _words("""
    about above absolutely according across actually add adding after again ago agreed ahead all almost along already alright
    also although always amazing among amazingly another any anyway anyways apart apparently appreciate around art aside ask
    away awesome awful back bad basically beautiful because become before behind being believe below beneath beside besides bet
    better between beyond bold both bought breathe bring brother brothers build but call came can cannot care careful catch
    certainly chance change check children choose clearly close cold color come coming connect consider cool could count crazy
    creating creativity cute damn dark darkness days deal deep definitely depends despite did different dinner do dogs doing
    done double down dreams during each early easy eat either else empty enjoy enough especially even eventually ever every
    exactly except excellent excited exciting experience experiencing eyes fair faith family fantastic far fast feel feeling few
    fighting finally find finding fine fire first five focus follow following food footsteps forget forever forgive found four
    free from fun funny further gaming get getting give given giving glad go going gonna gone got gotta grab guess had half hand
    hands hang happens hard have having hear heard heart heat help helping hence hers him hold home honestly hope hopefully hot
    hours however hurry imagine impressive in incredible indeed inside inspiring instead interesting is it join just keep
    keeping kids kind know knowing last lately later laughter lead learn learning least leave left less life light like listen
    little live living long look looking looks loss lot lots love loved loving luckily lucky made maintaining make making many
    matter maybe mean meanwhile meet meeting memories men mental mind minutes moments money months moreover move movies much
    music must nature near nearby need neither never nevertheless new next nights none nor normally nothing now obviously odd
    off often old once one ones only open or other others otherwise out outside over overall own pain painting past peace people
    perfect perhaps personally pets pick plan plans play playing plenty plus poor practice pretty probably proud pull pulling
    push put quick quickly quiet quite rain rather read reading ready real really recently regardless relax relaxing remember
    remind respect rest right run safe said same save say saying says school second see seeing seems seen self sending serious
    seriously set several shadows shame share sharing she short should show silence similarly simple simply since sing single
    sister sisters slow slowly small smart smells smiling smoke snow softly some sometimes somehow somewhere soon sorta sound
    sounds speaking specifically spending spread stand standing start starting stay staying steam step still stop strange
    strength strong stuff such suddenly support supporting supposedly sure surely surprisingly sweet swimming take taking talk
    talking tea teamwork tell telling ten thankfully therefore thinking think three through throughout thunder thus time times
    together tomorrow too took totally tough toward towards training travel treat true truly trust truth try trying turn turns
    twice two under understood unfortunately unless unlike until up upon use used using usually volunteering wait waiting walk
    walking wanna want wanted war warm was watch watching water way well went were what's whatever whenever wherever whether
    while whispers whoever whole wild wind winning wish wishing within women wonder wonderful words work working works worry
    worth writing wrong wrote yet yoga young a.k.a certain dance dancing drive each eager exploring extra finding game games
    getting guys hiking hours hunting job journaling learnt let mostly nowadays nine six seven eight hundred thousand million
    none others photos pictures places pottery running skating songs stories stress style success teaching video videos
    whichever worse yet youth camping cooking books dreams family freedom goals growing health helped house its line message
    mission mood name names notes number order orders out person places point power press question read reason result room rule
    rules setting skip status story task thought title type voice weather welcome world dust blood fog mist moonlight sunlight
    candlelight lightning ash ashes leaves stars waves time guards soldiers villagers someday justice fate death destiny luck chess dinner breakfast lunch doctors teachers guests guys
    players students scientists parents experts officials locals critics fans voices eyes fingers lips shoulders progress game
    finals music silence patience kindness mornings evenings nobody's footsteps laughter outside thunder sunlight rain doors
    windows candles torches flames hooves waves merchants travelers sailors birds horses wolves men women figures servants
    """)

# The like in other languages of Europe.
FOREIGN_START = _words("""
    el los las un una unos unas lo le les des du une der die das den dem ein eine einen il lo gli os um uma o a ellos ellas ella
    yo tú nosotros usted ustedes esto ese esa este esta ayer hoy mañana pero porque cuando donde como qué quién cómo cuándo
    dónde si sí muy también entonces después luego antes aquí allí ahora mi mis tu tus su sus nuestro hay no con sin para por en
    de je tu il elle on nous vous ils elles mon ma mes ton ta tes son sa ses notre votre leur ce cette ces hier demain mais
    parce quand où comment pourquoi oui non très aussi puis alors après avant ici là maintenant dans avec sans pour sur chez
    c'est ich du er sie es wir ihr mein meine dein deine sein seine unser gestern heute morgen aber weil wenn wann wo wie warum
    ja nein sehr auch dann danach vorher hier dort jetzt in im am mit ohne für auf bei nach und oder io lei lui noi voi loro
    ieri oggi domani ma perché quando dove come anche poi dopo prima qui ora nel con senza per eu ele ela nós ontem hoje amanhã
    mas porque onde também depois antes aqui agora я ты он она оно мы вы они мой моя моё мои твой твоя наш наша ваш ваша его её
    их это этот эта эти тот та те то вчера сегодня завтра утром вечером днём ночью но и а или если когда где как почему зачем
    кто что чей да нет не ни очень тоже также потом затем после до здесь там тут сейчас теперь уже ещё еще только просто может
    наверное конечно привет спасибо пока пожалуйста хорошо ладно в во на с со к ко у о об от из за по под над для без через при
    про однажды вдруг все всё каждый никто ничто в'чора вчора сьогодні завтра він вона воно ми ви вони це цей ця і й та але якщо
    коли де як чому хто що так ні дуже також потім тут там зараз вже ще ο η το οι τα τον την του της των ένας μια ένα εγώ εσύ
    αυτός αυτή αυτό εμείς εσείς χθες σήμερα αύριο αλλά και ή αν όταν πού πώς γιατί ποιος τι ναι όχι πολύ επίσης μετά πριν εδώ
    εκεί τώρα στο στη στην στον με από για σε
    """)

TITLES = _words("""
    mr mrs ms miss dr doctor prof professor captain capt lieutenant lt sergeant sgt colonel col general gen major commander
    admiral officer detective inspector agent sheriff king queen prince princess duke duchess count countess baron baroness earl
    lord lady sir dame emperor empress saint father sister brother mother uncle aunt auntie grandma grandpa granny cousin coach
    chef judge president senator mayor governor minister master mistress madam madame monsieur mademoiselle herr frau signor
    signora señor señora don doña rabbi pastor reverend rev bishop pope knight archmage magister elder chief chieftain
    headmaster nurse private corporal old young little big poor господин госпожа доктор капитан
    """)

# Heads of place names ("Kestrel Harbor") and what may stand before one ("Lake Tahoe").
PLACE_HEADS = _words("""
    street st avenue ave road rd lane boulevard blvd alley square plaza court drive highway route way tavern inn pub bar saloon
    hotel motel hostel lodge resort spa harbor harbour port bay beach coast cove cape island islands isle isles peninsula castle
    keep fortress fort citadel palace manor mansion hall halls tower towers spire forest woods wood grove jungle swamp marsh
    desert wastes wasteland plains valley vale canyon gorge cliffs cliff peak peaks mountain mountains mount hills hill ridge
    pass river lake sea ocean falls creek springs spring pond lagoon city town village hamlet county province kingdom empire
    realm republic territory state states district quarter ward borough borderlands lands land station airport terminal bridge
    gate gates docks dock pier wharf market bazaar mall arcade store shop bakery cafe café diner restaurant bistro grill library
    museum gallery theater theatre cinema opera arena stadium gym dojo park garden gardens zoo cemetery graveyard crypt
    catacombs tomb temple shrine cathedral church chapel abbey monastery sanctum mosque school university college academy
    institute hospital clinic asylum prison dungeon cave caves cavern caverns mine mines mill farm ranch barracks camp outpost
    base headquarters center centre house apartments campus room chamber library laboratory lab greenhouse observatory
    lighthouse point inn arms planet ruins quay quays moorings mooring weir cottage crossing moor heath marina strand loch glen brook orchard
    vineyard windmill watermill shipyard boatyard
    """)
PLACE_FIRSTS = _words("mount lake port fort cape san santa los las el new south north east west saint st mt isle gulf river")
ORGANISATION_HEADS = _words("""
    guild company corporation corp inc ltd llc council order army legion brotherhood sisterhood clan team club league agency
    bank department ministry foundation association society union party alliance federation syndicate cartel bureau committee
    police navy guard guards knights orchestra band
    """)
ADDRESS_PARTS = _words(
    "hall room floor gate level deck platform terminal sector suite apartment apt unit wing building block section door dock pier bay"
)

# What may stand before "of" inside one name ("Lord of the Rings"), while "Aria of Winterfell" is two.
OF_HEADS = _words("""
    lord lords game games house order knights guild bank university isle isles temple tower sword heart kingdom city age ages
    war wars world call league prince princess king queen duke duchess legend legends guardians pirates child children daughter
    daughters son sons brotherhood council church lady gate gates hall book books song songs tale tales statue department
    ministry republic cliffs plains state states gulf bay cape mount valley forest sea lake port house academy school college
    institute museum museums god shadow shadows court throne crown ring staff eye hand land lands realm empire dance storm clash
    feast master duchy county city heroes edge castle name names assassin's battle field fields fortress garden gardens bridge
    street inn breath sea
    """)

PLACES = _words("""
    africa america antarctica asia europe australia oceania argentina austria bangladesh belgium bolivia brazil britain bulgaria
    cambodia cameroon canada chile china colombia croatia cuba cyprus denmark ecuador egypt england estonia ethiopia fiji
    finland france germany ghana greece greenland guatemala haiti hungary iceland india indonesia iran iraq ireland israel italy
    jamaica japan jordan kazakhstan kenya korea kuwait laos latvia lebanon libya lithuania luxembourg madagascar malaysia mali
    malta mexico moldova monaco mongolia morocco mozambique myanmar namibia nepal netherlands nicaragua nigeria norway oman
    pakistan panama paraguay peru philippines poland portugal qatar romania russia rwanda scotland senegal serbia singapore
    slovakia slovenia somalia spain sudan sweden switzerland syria taiwan tanzania thailand tunisia turkey uganda ukraine
    uruguay venezuela vietnam wales yemen zambia zimbabwe alabama alaska arizona arkansas california colorado connecticut
    delaware florida hawaii idaho illinois indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan
    minnesota mississippi missouri montana nebraska nevada ohio oklahoma oregon pennsylvania tennessee texas utah vermont
    wisconsin wyoming amsterdam athens atlanta auckland bangkok barcelona beijing berlin boston brussels budapest cairo chicago
    copenhagen dallas delhi denver dubai dublin edinburgh geneva hamburg hanoi helsinki houston istanbul jakarta jerusalem kyiv
    kyoto lagos lima lisbon london madrid manchester manhattan manila melbourne miami milan montreal moscow mumbai munich
    nairobi naples osaka oslo paris philadelphia phoenix prague rome seattle seoul shanghai stockholm sydney tokyo toronto
    vancouver venice vienna warsaw zurich brooklyn hollywood
    """) - frozenset({"jordan", "phoenix", "chile"})
CAPITAL_PLACES = frozenset({"UK", "USA", "NYC", "UAE", "L.A.", "U.S.", "U.K.", "U.S.A."})

# Verbs of people: a capital before one of these at the start of a sentence is a name.
ACTS = _words("""
    said says asked asks replied replies answered answers whispered whispers murmured murmurs muttered mutters shouted shouts
    yelled yells cried cries laughed laughs chuckled chuckles giggled giggles smiled smiles grinned grins smirked smirks frowned
    frowns nodded nods shrugged shrugs sighed sighs winked winks blinked blinks blushed blushes glanced glances stared stares
    glared glares gazed gazes looked looks turned turns stepped steps walked walks leaned leans sat sits stood stands knelt
    kneels bowed bows waved waves reached reaches grabbed grabs pulled pulls pushed pushes hugged hugs kissed kisses paused
    pauses hesitated hesitates gasped gasps snorted snorts scoffed scoffs groaned groans growled growls swallowed swallows shook
    shakes told tells thought thinks wondered wonders remembered remembers drew draws lifted lifts lowered lowers raised raises
    tilted tilts folded folds crossed crosses rolled poured pours handed hands took takes opened opens closed closes entered
    enters arrived arrives left leaves ran runs rushed rushes followed follows watched watches listened listens waited waits
    wants wanted knew knows loved loves hated hates married works worked lives lived died dies agreed agrees argued argues
    admitted admits explained explains insisted insists promised promises called calls wrote writes sang sings danced dances
    cooked cooks slept sleeps woke wakes wept weeps fought fights bit bites
    """)
BODY = _words(
    "eyes voice hand hands face lips smile gaze heart head fingers breath expression brow shoulders hair cheeks "
    "jaw arms arm grin laugh tail ears wings sword"
)
KIN = _words("""
    brother sister mother father mom mum dad son daughter wife husband girlfriend boyfriend fiance fiancé fiancee fiancée
    partner grandmother grandfather grandma grandpa aunt uncle cousin niece nephew twin stepmother stepfather stepsister
    stepbrother
    """)
PETS = _words(
    "cat dog puppy pup kitten kitty rabbit bunny hamster horse pony parrot bird turtle tortoise snake ferret "
    "goldfish lizard gecko mouse rat pig goat cow owl raven dragon wolf fox"
)
